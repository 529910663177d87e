import { randomBytes, randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  type ColumnRole,
  CostCeiling,
  type EvaluatorClient,
  hashCases,
  type ItemResult,
  itemKey,
  planItems,
  type RunCase,
  type RunEnd,
  type RunItem,
  runItems,
  seededRandom,
} from "@agate/platform/evaluations";
import { RunTally } from "@agate/protocol/evaluations";
import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import { type Refusal, refused } from "../packing/project.ts";
import {
  KeptRun,
  type PinnedScorers,
  type ReadRun,
  type RunHeader,
  readRun,
  unfinishedRun,
} from "./kept-run.ts";
import type { CasesOrigin } from "./load-cases.ts";
import { performerOf, type RunColumns } from "./run-column.ts";
import type { ReportOutcome, RunReporter } from "./run-reporter.ts";
import { type RunSummary, summariseRun, tallied } from "./run-summary.ts";

export interface RunEvaluationOptions {
  readonly client: EvaluatorClient;
  /** Those of the builds that columns name, by the ids of these. */
  readonly builds: ReadonlyMap<string, EvaluatorClient>;
  readonly evaluation: DeclaredEvaluation;
  readonly scorers: PinnedScorers;
  readonly cases: readonly RunCase[];
  readonly testset: CasesOrigin;
  readonly columns: RunColumns;
  /** The folder of the project, where results are kept. */
  readonly folder: string;
  readonly trials: number;
  readonly concurrency: number;
  /** In US dollars. */
  readonly maxCost: number | undefined;
  /** Whether the last run that was interrupted goes on. */
  readonly resume: boolean;
  /** The git commit of the code. */
  readonly commit: string | null;
  /** The address of the platform that the evaluator can read from. */
  readonly platform: string | undefined;
  /** Reports the run to a platform. */
  readonly report: RunReporting | undefined;
  readonly signal: AbortSignal;
  /** Told how far the run is. */
  readonly onProgress: (done: number, all: number, failed: number) => void;
}

/** A call that failed, for reports. */
export interface FailedCall {
  readonly column: ColumnRole;
  readonly case: string;
  readonly trial: number;
  readonly error: string;
}

/** A score that failed, for reports. */
export interface FailedScore extends FailedCall {
  readonly score: string;
}

/** How a run is reported to a platform. */
export interface RunReporting {
  /** The address of the platform. */
  readonly url: string;
  start(header: RunHeader): RunReporter;
}

export interface EvaluationOutcome {
  readonly kind: "ran";
  readonly end: RunEnd;
  readonly header: RunHeader;
  readonly summary: RunSummary;
  readonly items: { readonly done: number; readonly all: number; readonly earlier: number };
  /** Whether a platform has the run; undefined where none was to get it. */
  readonly report: ReportOutcome | undefined;
  /** The first of them. */
  readonly failedCalls: readonly FailedCall[];
  readonly failedScores: readonly FailedScore[];
}

/** Seeds are whole numbers below it, as the platform's are. */
const SEEDS = 2 ** 31;
/** Failures that a report names. */
const MOST_NAMED = 20;

/** Runs one evaluation, or the rest of one. Results are written to a file as they come. */
export async function runEvaluation(
  options: RunEvaluationOptions,
): Promise<EvaluationOutcome | Refusal> {
  const { evaluation, cases, columns, folder, trials } = options;
  const roles = (["candidate", "baseline"] as const).filter((role) => columns[role] !== undefined);
  const opened = options.resume
    ? resumed(options)
    : { kept: KeptRun.create(folder, newHeader(options)), before: undefined };
  if ("kind" in opened) return opened;
  using kept = opened.kept;
  const { header } = kept;
  const scorers = evaluation.scorers.map(({ name }) => name);
  const results = new Results(cases, trials, roles, scorers);
  const reporter = options.report?.start(header);
  const done = new Set<string>();
  const ceiling = new CostCeiling(options.maxCost);
  for (const result of opened.before?.results() ?? []) {
    done.add(itemKey(result));
    results.add(result);
    reporter?.add(result);
    ceiling.add(result.cost);
    ceiling.add(result.judge_cost);
  }
  const earlier = done.size;
  const all = cases.length * trials * roles.length;
  let count = earlier;
  options.onProgress(count, all, results.failed);
  const random = seededRandom(header.seed + 1);
  const end = await runItems(
    open(planItems({ cases, columns: roles, trials, seed: header.seed }), done),
    {
      performer: performerOf({
        client: options.client,
        builds: options.builds,
        evaluation,
        configs: options.scorers.configs,
        run: header.run,
        columns,
        platform: options.platform,
      }),
      concurrency: options.concurrency,
      scorers,
      ceiling,
      signal: options.signal,
      random,
      wait: (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(() => {}),
      onResult(result) {
        kept.add(result);
        results.add(result);
        reporter?.add(result);
        count += 1;
        options.onProgress(count, all, results.failed);
      },
    },
  );
  const report = await reporter?.end(end, () => readRun(folder, header.run)?.results() ?? []);
  // Resuming a run that has all its results sends them.
  if (end === "finished" && report?.kind !== "unsent") kept.finish();
  return {
    kind: "ran",
    end,
    header,
    summary: summariseRun(results.tally, cases, evaluation.gate, results.unknownJudges),
    items: { done: count, all, earlier },
    report,
    failedCalls: results.failedCalls,
    failedScores: results.failedScores,
  };
}

function* open(items: Iterable<RunItem>, done: ReadonlySet<string>): Generator<RunItem> {
  for (const item of items) {
    const { column, trial } = item;
    if (!done.has(itemKey({ column, trial, case: item.case.id }))) yield item;
  }
}

/** What is kept of results: numbers, and the first failures. */
class Results {
  readonly tally: RunTally;
  readonly failedCalls: FailedCall[] = [];
  readonly failedScores: FailedScore[] = [];
  failed = 0;
  unknownJudges = 0;
  readonly #cases: ReadonlyMap<string, number>;
  readonly #roles: readonly ColumnRole[];

  constructor(
    cases: readonly RunCase[],
    trials: number,
    roles: readonly ColumnRole[],
    scorers: readonly string[],
  ) {
    this.tally = new RunTally({ cases: cases.length, trials, columns: roles, scorers });
    this.#cases = new Map(cases.map(({ id }, index) => [id, index]));
    this.#roles = roles;
  }

  add(result: ItemResult): void {
    const { column, case: row, trial, error, scores } = result;
    const index = this.#cases.get(row);
    if (index === undefined) throw new Error(`The run has no case ${row}.`);
    this.tally.add({ case: index, column: this.#roles.indexOf(column), trial }, tallied(result));
    this.unknownJudges += result.judge_cost === null ? 1 : 0;
    const item = { column, case: row, trial };
    if (error !== null) {
      this.failed += 1;
      if (this.failedCalls.length < MOST_NAMED) this.failedCalls.push({ ...item, error });
      return;
    }
    for (const [score, { status, ...given }] of Object.entries(scores)) {
      if (status !== "failed" || this.failedScores.length === MOST_NAMED) continue;
      this.failedScores.push({ ...item, score, error: "error" in given ? given.error : "" });
    }
  }
}

function newHeader(options: RunEvaluationOptions): RunHeader {
  const { evaluation, columns, cases, testset, trials } = options;
  const now = new Date();
  const day = now.toISOString().slice(0, 10).replaceAll("-", "");
  return {
    run: `${day}-${randomBytes(4).toString("hex")}`,
    evaluation: evaluation.name,
    started_at: now.toISOString(),
    seed: randomInt(SEEDS),
    trials,
    columns: {
      candidate: columns.candidate?.label ?? "",
      baseline: columns.baseline?.label ?? null,
    },
    testset: testset.kind === "testset" ? testset : null,
    cases: hashCases(cases),
    scorers: Object.fromEntries(evaluation.scorers.map(({ name, version }) => [name, version])),
    scorers_revision: options.scorers.revision,
    commit: options.commit,
    platform: options.report?.url ?? null,
  };
}

function resumed(
  options: RunEvaluationOptions,
): { readonly kept: KeptRun; readonly before: ReadRun } | Refusal {
  const { name } = options.evaluation;
  const before = unfinishedRun(options.folder, name);
  if (before === undefined) {
    return refused(`No interrupted run of ${name} to resume. Run it without --resume.`);
  }
  const difference = differenceOf(before.header, newHeader(options));
  if (difference !== undefined) {
    return refused(
      `The run ${before.header.run} of ${name} can't be resumed: ${difference} changed since. Run it without --resume.`,
    );
  }
  return { kept: KeptRun.resume(before), before };
}

/** What two results of one run must not differ in. */
function differenceOf(before: RunHeader, now: RunHeader): string | undefined {
  if (before.cases !== now.cases) return "its test set has";
  if (before.trials !== now.trials) return "the number of trials has";
  if (JSON.stringify(before.columns) !== JSON.stringify(now.columns)) return "its columns have";
  if (JSON.stringify(before.scorers) !== JSON.stringify(now.scorers)) return "its scorers have";
  return undefined;
}
