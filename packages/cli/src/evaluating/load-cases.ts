import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import type { RunCase } from "@agate/platform/evaluations";
import { isRecord, type TestSetRevision } from "@agate/protocol";
import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import {
  assignRowIds,
  canonicalJson,
  type RowsReading,
  readCsv,
  readJsonl,
  shownRowFault,
} from "@agate/protocol/testsets";
import { type ApiClient, apiPath } from "../api-client/api-client.ts";
import { bodyText } from "../api-client/response-body.ts";
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
  | { readonly kind: "file"; readonly name: string }
  | PinnedTestset;

/** A test set of the platform, at the revision that a run has. */
export interface PinnedTestset {
  readonly kind: "testset";
  readonly name: string;
  readonly revision: number;
}

export interface CasesPlace {
  /** Of `package.json`: files are relative to it. */
  readonly folder: string;
  /** Undefined without a platform. */
  readonly api: ApiClient | undefined;
  /** What the run that is resumed has. */
  readonly pinned: PinnedTestset | null;
}

/** Faults that a message lists. */
const MOST_SHOWN = 10;

/** The cases of an evaluation: its own, those of a file, or those of a test set of the platform. */
export async function loadCases(
  { name, testset }: DeclaredEvaluation,
  place: CasesPlace,
): Promise<LoadedCases | Refusal> {
  if (typeof testset !== "string") return inlineCases(name, testset);
  if (isFile(testset)) {
    const rows = await readTestFile(resolve(place.folder, testset), testset);
    return casesOf(name, testset, { kind: "file", name: testset }, rows);
  }
  if (place.api === undefined) {
    return refused(
      `${name} has the test set ${JSON.stringify(testset)}, which is one of a platform. Set AGATE_BASE_URL, or name a file: "./cases.jsonl".`,
    );
  }
  const wanted = /^([^@]+)(?:@([1-9]\d{0,8}))?$/.exec(testset);
  if (wanted === null) {
    return refused(
      `${name} has the test set ${JSON.stringify(testset)}. Write the name of one ("golden"), a revision of it ("golden@3"), or a file ("./cases.jsonl").`,
    );
  }
  const [, set = "", revision] = wanted;
  const pinned = await pinTestset(place.api, set, revision, place.pinned);
  const rows = await exportRows(place.api, pinned);
  return casesOf(name, `${pinned.name}@${pinned.revision}`, pinned, rows);
}

function casesOf(
  name: string,
  source: string,
  testset: CasesOrigin,
  read: RowsReading | Refusal,
): LoadedCases | Refusal {
  if (read.kind === "refused") return read;
  if (read.kind === "faults") {
    const [first, ...others] = read.faults.slice(0, MOST_SHOWN).map(shownRowFault);
    return refused([`${source}: ${first}`, ...others].join("\n  "));
  }
  const cases = read.rows.filter(({ purged }) => !purged);
  if (cases.length === 0) return refused(`${source} has no cases. Add a row to run ${name}.`);
  return { kind: "cases", cases, source, testset };
}

/** The revision that a run has from its start to its end, also where a newer one is committed. */
async function pinTestset(
  api: ApiClient,
  name: string,
  revision: string | undefined,
  before: PinnedTestset | null,
): Promise<PinnedTestset> {
  if (revision === undefined && before?.name === name) return before;
  const path = apiPath`/registry/testsets/${name}/revisions/${revision ?? "latest"}`;
  const { value } = await api.get<TestSetRevision>(path);
  return { kind: "testset", name, revision: value.test_set.revision };
}

async function exportRows(api: ApiClient, { name, revision }: PinnedTestset): Promise<RowsReading> {
  const path = apiPath`/registry/testsets/${name}/revisions/${String(revision)}/export`;
  const response = await api.open(path, { accept: "application/jsonl", timeoutMs: null });
  const parts: string[] = [];
  for await (const part of bodyText(response, api.connection.url)) parts.push(part);
  return readJsonl(parts.join(""));
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
