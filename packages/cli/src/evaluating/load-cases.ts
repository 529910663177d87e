import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import type { RunCase } from "@agate/platform/evaluations";
import { isRecord } from "@agate/protocol";
import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import {
  assignRowIds,
  canonicalJson,
  type RowsReading,
  readCsv,
  readJsonl,
  shownRowFault,
} from "@agate/protocol/testsets";
import { type Refusal, refused } from "../packing/project.ts";

export interface LoadedCases {
  readonly kind: "cases";
  readonly cases: readonly RunCase[];
  /** As reports name the test set. */
  readonly source: string;
  readonly testset: CasesOrigin;
}

/** Where cases are from. */
export type CasesOrigin =
  | { readonly kind: "inline" }
  /** A path relative to the folder of `package.json`. */
  | { readonly kind: "file"; readonly name: string };

/** Faults that a message lists. */
const MOST_SHOWN = 10;

/** The cases of an evaluation: its own, or those of a file relative to the folder of `package.json`. */
export async function loadCases(
  { name, testset }: DeclaredEvaluation,
  folder: string,
): Promise<LoadedCases | Refusal> {
  if (typeof testset !== "string") return inlineCases(name, testset);
  if (!isFile(testset)) {
    return refused(
      `${name} has the test set ${JSON.stringify(testset)}, which is one of a platform. Set AGATE_BASE_URL, or name a file: "./cases.jsonl".`,
    );
  }
  const read = await readTestFile(resolve(folder, testset), testset);
  if (read.kind === "refused") return read;
  if (read.kind === "faults") {
    const [first, ...others] = read.faults.slice(0, MOST_SHOWN).map(shownRowFault);
    return refused([`${testset}: ${first}`, ...others].join("\n  "));
  }
  const cases = read.rows.filter(({ purged }) => !purged);
  if (cases.length === 0) return refused(`${testset} has no cases. Add a row to run ${name}.`);
  return { kind: "cases", cases, source: testset, testset: { kind: "file", name: testset } };
}

function isFile(testset: string): boolean {
  return /^\.{0,2}\//.test(testset) || /\.(?:jsonl|csv)$/i.test(testset);
}

async function readTestFile(path: string, name: string): Promise<RowsReading | Refusal> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "file not found" : message;
    return refused(
      `The test set ${name} can't be read: ${why}. Paths are relative to the folder of package.json.`,
    );
  }
  switch (extname(path).toLowerCase()) {
    case ".jsonl":
      return readJsonl(text);
    case ".csv":
      return readCsv(text);
    default:
      return refused(`The test set ${name} must be a .jsonl or a .csv file.`);
  }
}

function inlineCases(name: string, rows: readonly unknown[]): LoadedCases | Refusal {
  const given = rows.filter(isRecord);
  const ids = given.map(({ id }) => (typeof id === "string" ? id : undefined));
  const known = ids.filter((id) => id !== undefined);
  const twice = known.find((id, index) => known.indexOf(id) !== index);
  if (twice !== undefined) {
    return refused(`${name} has two cases with the id ${JSON.stringify(twice)}. Ids must differ.`);
  }
  const assigned = assignRowIds(given.map(({ inputs }, index) => ({ id: ids[index], inputs })));
  const cases = given.map((row, index) => ({
    id: assigned[index] ?? "",
    inputs: row.inputs,
    ...("expected" in row && { expected: row.expected }),
    ...(isRecord(row.metadata) && { metadata: row.metadata }),
  }));
  return { kind: "cases", cases, source: "the eval file", testset: { kind: "inline" } };
}

/** Tells whether two runs have the same cases. */
export function hashCases(cases: readonly RunCase[]): string {
  const hash = createHash("sha256");
  for (const row of cases) hash.update(`${canonicalJson(row)}\n`);
  return hash.digest("hex").slice(0, 16);
}
