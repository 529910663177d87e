import { createHash } from "node:crypto";
import { extname } from "node:path";
import { isRecord } from "@agate/protocol";
import {
  assignRowIds,
  canonicalJson,
  type RowsReading,
  readCsv,
  readJsonl,
  shownRowFault,
} from "@agate/protocol/testsets";
import type { RunCase } from "./run-item.ts";

/** Where the cases of an evaluation are from. */
export type CaseSource =
  | { readonly kind: "inline"; readonly rows: readonly unknown[] }
  /** A path relative to the folder of `package.json`. */
  | { readonly kind: "file"; readonly path: string }
  /** A test set of the platform. */
  | { readonly kind: "testset"; readonly name: string; readonly revision: number | undefined };

/** Why there are no cases, for people. */
export interface CasesRefusal {
  readonly kind: "refused";
  readonly reason: string;
}

/** Faults that a message lists. */
const MOST_SHOWN = 10;

/** @param evaluation Its name, for messages. */
export function caseSource(
  evaluation: string,
  testset: string | readonly unknown[],
): CaseSource | CasesRefusal {
  if (typeof testset !== "string") return { kind: "inline", rows: testset };
  if (isFile(testset)) return { kind: "file", path: testset };
  const [, name, revision] = /^([^@]+)(?:@([1-9]\d{0,8}))?$/.exec(testset) ?? [];
  if (name === undefined) {
    return refused(
      `${evaluation} has the test set ${JSON.stringify(testset)}. Write the name of one ("golden"), a revision of it ("golden@3"), or a file ("./cases.jsonl").`,
    );
  }
  return { kind: "testset", name, revision: revision === undefined ? undefined : Number(revision) };
}

function isFile(testset: string): boolean {
  return /^\.{0,2}\//.test(testset) || /\.(?:jsonl|csv)$/i.test(testset);
}

/** The rows in the text of a file. */
export function rowsOfFile(path: string, text: string): RowsReading | CasesRefusal {
  switch (extname(path).toLowerCase()) {
    case ".jsonl":
      return readJsonl(text);
    case ".csv":
      return readCsv(text);
    default:
      return refused(`The test set ${path} must be a .jsonl or a .csv file.`);
  }
}

/**
 * The cases in rows that were read, without those that were purged.
 *
 * @param source As messages name the test set.
 */
export function casesOf(
  evaluation: string,
  source: string,
  read: RowsReading | CasesRefusal,
): readonly RunCase[] | CasesRefusal {
  if (read.kind === "refused") return read;
  if (read.kind === "faults") {
    const [first, ...others] = read.faults.slice(0, MOST_SHOWN).map(shownRowFault);
    return refused([`${source}: ${first}`, ...others].join("\n  "));
  }
  const cases = read.rows.filter(({ purged }) => !purged);
  return cases.length === 0 ? noCases(evaluation, source) : cases;
}

export function noCases(evaluation: string, source: string): CasesRefusal {
  return refused(`${source} has no cases. Add a row to run ${evaluation}.`);
}

/** The cases that an evaluation has itself. */
export function inlineCases(
  evaluation: string,
  rows: readonly unknown[],
): readonly RunCase[] | CasesRefusal {
  const given = rows.filter(isRecord);
  const ids = given.map(({ id }) => (typeof id === "string" ? id : undefined));
  const known = ids.filter((id) => id !== undefined);
  const twice = known.find((id, index) => known.indexOf(id) !== index);
  if (twice !== undefined) {
    return refused(
      `${evaluation} has two cases with the id ${JSON.stringify(twice)}. Ids must differ.`,
    );
  }
  const assigned = assignRowIds(given.map(({ inputs }, index) => ({ id: ids[index], inputs })));
  return given.map((row, index) => ({
    id: assigned[index] ?? "",
    inputs: row.inputs,
    ...("expected" in row && { expected: row.expected }),
    ...(isRecord(row.metadata) && { metadata: row.metadata }),
  }));
}

/** Tells whether two runs have the same cases. */
export function hashCases(cases: readonly RunCase[]): string {
  const hash = createHash("sha256");
  for (const row of cases) hash.update(`${canonicalJson(row)}\n`);
  return hash.digest("hex").slice(0, 16);
}

export function refused(reason: string): CasesRefusal {
  return { kind: "refused", reason };
}
