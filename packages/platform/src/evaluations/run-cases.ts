import type { RunTestset } from "@agate/protocol";
import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import type { Registry } from "../registry/registry.ts";
import type { RegistryOutcome, RegistryProblem } from "../registry/registry-outcome.ts";
import { done, refused } from "../registry/registry-outcome.ts";
import {
  type CasesRefusal,
  caseSource,
  casesOf,
  hashCases,
  inlineCases,
  noCases,
  rowsOfFile,
} from "./case-source.ts";
import type { EvaluatedBuild, Evaluators } from "./evaluators.ts";
import { batchesOf } from "./report-bodies.ts";
import type { RunCase } from "./run-item.ts";

export interface CasesPlace {
  readonly registry: Pick<Registry, "testSets">;
  readonly evaluators: Pick<Evaluators, "readFile">;
}

/** The cases of a run, pinned: they are the same whenever and wherever they are read. */
export interface PinnedCases {
  readonly testset: RunTestset;
  /** How many there were when it was pinned. Rows can be purged later. */
  readonly count: number;
  batches(): AsyncIterable<readonly RunCase[]> | Iterable<readonly RunCase[]>;
}

/** Rows of a test set that are read at a time. */
const ROWS_PER_READ = 500;
const BATCH = { items: ROWS_PER_READ, size: 4 * 1024 * 1024 };

/**
 * Finds the cases of an evaluation, at the latest revision of a test set unless it names one.
 *
 * @param testset The evaluation's own, or another one.
 */
export async function pinCases(
  place: CasesPlace,
  code: EvaluatedBuild,
  { name }: Pick<DeclaredEvaluation, "name">,
  testset: DeclaredEvaluation["testset"],
): Promise<RegistryOutcome<PinnedCases>> {
  const source = caseSource(name, testset);
  switch (source.kind) {
    case "refused":
      return unusable(source.reason);
    case "inline":
      return listed({ kind: "inline", name: null }, inlineCases(name, source.rows), () =>
        noCases(name, "The evaluation"),
      );
    case "file": {
      const { path } = source;
      const file = await place.evaluators.readFile(code, path);
      if (file.kind === "missing") return unusable(missingFile(path, code));
      const rows = rowsOfFile(path, Buffer.from(file.bytes).toString());
      return listed({ kind: "file", name: path }, casesOf(name, path, rows), () =>
        noCases(name, path),
      );
    }
    case "testset":
      return ofTestSet(place, code.project, name, source);
  }
}

function missingFile(path: string, { build }: EvaluatedBuild): string {
  const where = build === null ? "The project" : `Build ${build.number}`;
  return `${where} has no file ${path}. Save the rows as a test set (agate testsets push ${path}) and name that, or run the evaluation with agate eval.`;
}

function unusable(reason: string): RegistryOutcome<never> {
  const problem: RegistryProblem = { type: "run_invalid", loc: ["body", "testset"], msg: reason };
  return refused(problem);
}

function listed(
  { kind, name }: Pick<RunTestset, "kind" | "name">,
  cases: readonly RunCase[] | CasesRefusal,
  empty: () => CasesRefusal,
): RegistryOutcome<PinnedCases> {
  if ("kind" in cases) return unusable(cases.reason);
  if (cases.length === 0) return unusable(empty().reason);
  return done({
    testset: { kind, name, revision: null, hash: hashCases(cases) },
    count: cases.length,
    batches: () => batchesOf(cases, BATCH),
  });
}

async function ofTestSet(
  { registry: { testSets } }: CasesPlace,
  project: string,
  evaluation: string,
  { name, revision: asked }: { readonly name: string; readonly revision: number | undefined },
): Promise<RegistryOutcome<PinnedCases>> {
  const found = await testSets.revision(project, name, asked ?? null);
  if (found.kind === "refused") return inBody(found);
  const { slug, revision } = found.value.test_set;
  async function* batches(): AsyncGenerator<readonly RunCase[]> {
    let after: number | null = null;
    do {
      const page = await testSets.rows(project, slug, revision, { limit: ROWS_PER_READ, after });
      if (page.kind === "refused") throw new Error(page.problems[0].msg);
      const rows = page.value.items.filter(({ purged }) => !purged);
      yield* batchesOf(rows, BATCH);
      after = page.value.next;
    } while (after !== null);
  }
  let count = 0;
  for await (const batch of batches()) count += batch.length;
  if (count === 0) return unusable(noCases(evaluation, `${slug}@${revision}`).reason);
  const testset = { kind: "testset", name: slug, revision, hash: null } as const;
  return done({ testset, count, batches });
}

/** The registry names parameters of its own paths. */
function inBody(refusal: Extract<RegistryOutcome<never>, { kind: "refused" }>) {
  const [first, ...others] = refusal.problems.map((problem) => ({
    ...problem,
    loc: ["body", "testset"],
  }));
  return first === undefined ? refusal : refused(first, ...others);
}
