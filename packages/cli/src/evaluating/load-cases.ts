import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  caseSource,
  casesOf,
  inlineCases,
  type RunCase,
  rowsOfFile,
} from "@agate/platform/evaluations";
import type { TestSetRevision } from "@agate/protocol";
import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import { type RowsReading, readJsonl } from "@agate/protocol/testsets";
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

/** The cases of an evaluation: its own, those of a file, or those of a test set of the platform. */
export async function loadCases(
  { name, testset }: DeclaredEvaluation,
  place: CasesPlace,
): Promise<LoadedCases | Refusal> {
  const source = caseSource(name, testset);
  switch (source.kind) {
    case "refused":
      return source;
    case "inline":
      return loaded("the eval file", { kind: "inline" }, inlineCases(name, source.rows));
    case "file": {
      const { path } = source;
      const rows = await readTestFile(resolve(place.folder, path), path);
      return loaded(path, { kind: "file", name: path }, casesOf(name, path, rows));
    }
    case "testset": {
      if (place.api === undefined) {
        return refused(
          `${name} has the test set ${JSON.stringify(testset)}, which is one of a platform. Set AGATE_BASE_URL, or name a file: "./cases.jsonl".`,
        );
      }
      const pinned = await pinTestset(place.api, source.name, source.revision, place.pinned);
      const rows = await exportRows(place.api, pinned);
      const shown = `${pinned.name}@${pinned.revision}`;
      return loaded(shown, pinned, casesOf(name, shown, rows));
    }
  }
}

function loaded(
  source: string,
  testset: CasesOrigin,
  cases: readonly RunCase[] | Refusal,
): LoadedCases | Refusal {
  return "kind" in cases ? cases : { kind: "cases", cases, source, testset };
}

/** The revision that a run has from its start to its end, also where a newer one is committed. */
async function pinTestset(
  api: ApiClient,
  name: string,
  revision: number | undefined,
  before: PinnedTestset | null,
): Promise<PinnedTestset> {
  if (revision === undefined && before?.name === name) return before;
  const path = apiPath`/registry/testsets/${name}/revisions/${String(revision ?? "latest")}`;
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
  return rowsOfFile(name, text);
}
