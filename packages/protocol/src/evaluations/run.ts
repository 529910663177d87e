import type { ScoreStatus } from "../score.ts";
import type { Comparison } from "../statistics/compare-scores.ts";
import type { RunGates, RunVerdict } from "../statistics/judge-run.ts";

/** Who calls the routes of a run: the client that created it, or the platform. */
export const RUNNERS = ["client", "platform"] as const;
export type Runner = (typeof RUNNERS)[number];

/** `stopped`: before its end, on request. `failed`: it could not be carried out; `reason` says why. */
export const RUN_STATUSES = ["running", "finished", "stopped", "failed"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The column that the first one, the candidate, is compared with. */
export const BASELINE_COLUMN = "baseline";

/** The most cases of a run. */
export const MOST_RUN_CASES = 50_000;
/** The most items (cases × trials × columns) of a run. */
export const MOST_RUN_ITEMS = 300_000;
export const MOST_RUN_TRIALS = 100;
export const MOST_RUN_COLUMNS = 8;
/** Calls of a run at the same time. */
export const MOST_RUN_CONCURRENCY = 1000;
export const MOST_RUN_SCORERS = 50;
/** Of cases or results in one request. */
export const MOST_RUN_BATCH = 500;
/** Of a case's inputs, expectation and metadata together, as JSON in UTF-8. */
export const MOST_CASE_BYTES = 1024 * 1024;
/** Of an output as JSON in UTF-8; a longer one is cut. */
export const MOST_OUTPUT_BYTES = 256 * 1024;

/** The cases of a run: a revision of a test set, a file, or the rows of the evaluation itself. */
export interface RunTestset {
  readonly kind: "testset" | "file" | "inline";
  /** Of the test set, or the path of the file; null for rows of the evaluation. */
  readonly name: string | null;
  /** Of a test set. */
  readonly revision: number | null;
  /** Of the rows of a file or an evaluation, to tell whether two runs had the same. */
  readonly hash: string | null;
}

/** Whether a scorer is a function or asks a model. */
export const SCORER_KINDS = ["code", "model"] as const;
export type ScorerKind = (typeof SCORER_KINDS)[number];

export interface RunScorer {
  /** Of its score. */
  readonly name: string;
  /** The hash of its configuration and function. */
  readonly version: string | null;
  /** The source kind of its scores; `code` where it is not given. */
  readonly kind?: ScorerKind | undefined;
}

/** What is called: a configuration, with the code that it runs in. */
export interface RunColumn {
  readonly name: string;
  /** As it was asked for: `default@9`, `env:production`, `run:ID`. */
  readonly ref: string;
  /** The build that serves it; null for code that the platform does not have. */
  readonly build: { readonly id: string; readonly number: number } | null;
  /** As it was called when the run was created. */
  readonly variant: string | null;
  /** Of a run that the platform carries out: the variant may be renamed meanwhile. */
  readonly variant_id?: string | undefined;
  readonly revision: number | null;
}

/** How the platform carries a run out. */
export interface RunPlan {
  /** How many cases the run gets. Its first call waits for all of them. */
  readonly cases: number;
  /** Calls at the same time, on all servers together. */
  readonly concurrency: number;
  /** In US dollars, judges included; null: no ceiling. */
  readonly max_cost: number | null;
  /** The environment whose variables the evaluator processes get. */
  readonly environment: string;
  /** It may be renamed meanwhile. Absent in runs of earlier versions. */
  readonly environment_id?: string | undefined;
  /** The build whose scorers judge all columns; null for code that is no build. */
  readonly build: { readonly id: string; readonly number: number } | null;
}

/** In US dollars. */
export interface RunCosts {
  /** Of the calls whose cost is known. */
  readonly calls: number;
  /** Calls that cost an unknown amount. */
  readonly unknown_calls: number;
  /** Of the judges whose cost is known. */
  readonly judges: number;
  /** Results whose judges cost an unknown amount. */
  readonly unknown_judges: number;
}

/** A run of an evaluation: its cases, called in one or more columns, and scored. */
export interface Run {
  /** Unique in its project. */
  readonly id: string;
  /** The slug of the application. */
  readonly application: string;
  readonly evaluation: string;
  readonly runner: Runner;
  readonly status: RunStatus;
  /** Why it was stopped or has failed. */
  readonly reason: string | null;
  readonly testset: RunTestset;
  readonly scorers: readonly RunScorer[];
  /** The revision of the scorers' configurations that it is pinned to. */
  readonly scorers_revision: number | null;
  readonly trials: number;
  /** The first is the candidate; one named `baseline` is what it is compared with. */
  readonly columns: readonly RunColumn[];
  readonly gate: RunGates;
  /** Of a run that the platform carries out; else null. */
  readonly plan: RunPlan | null;
  /** The git commit of the code. */
  readonly commit: string | null;
  readonly message: string;
  /** Of the order that calls are made in. */
  readonly seed: number;
  readonly started_by: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly cases: number;
  /** Cases × trials × columns: the results that a complete run has. */
  readonly items: number;
  /** Results so far. */
  readonly results: number;
  /** Those of them whose call failed. */
  readonly errors: number;
  readonly costs: RunCosts;
  /** Null until it is finished. Its own `verdict` is left out where the run has no gate. */
  readonly verdict: RunVerdict | null;
}

/** A run with its figures so far. */
export interface RunReport extends Run {
  readonly figures: RunFigures;
}

/** What a client sends to create a run. */
export interface NewRun {
  /** Makes the request idempotent: the same run is answered again. Without it, one is made. */
  readonly id?: string | undefined;
  readonly application: string;
  readonly evaluation: string;
  /** Runs of the platform are started, not created: see {@link NewPlatformRun}. */
  readonly runner?: "client" | undefined;
  readonly testset: {
    readonly kind: RunTestset["kind"];
    readonly name?: string | null | undefined;
    readonly revision?: number | null | undefined;
    readonly hash?: string | null | undefined;
  };
  readonly scorers: readonly {
    readonly name: string;
    readonly version?: string | null | undefined;
    readonly kind?: ScorerKind | undefined;
  }[];
  readonly scorers_revision?: number | null | undefined;
  readonly trials?: number | undefined;
  readonly columns: readonly {
    readonly name: string;
    readonly ref: string;
    /** Number or id of a build of the application. */
    readonly build?: string | null | undefined;
    readonly variant?: string | null | undefined;
    readonly revision?: number | null | undefined;
  }[];
  readonly gate?: RunGates | null | undefined;
  readonly commit?: string | null | undefined;
  readonly message?: string | null | undefined;
  readonly seed?: number | null | undefined;
}

/** What a client sends to start a run that the platform carries out. All of it is optional. */
export interface NewPlatformRun {
  /** Makes the request idempotent: the same run is answered again. Without it, one is made. */
  readonly id?: string | undefined;
  /** `default`, `default@9`, `env:production` or `run:ID`; `default` where not given. */
  readonly candidate?: string | undefined;
  readonly baseline?: string | undefined;
  /** Of the scorers, and of columns that name a variant; else the newest with eval files. */
  readonly build?: number | undefined;
  /** Whose variables the code gets: `development` where not given. */
  readonly environment?: string | undefined;
  /** Instead of the evaluation's own: `golden` or `golden@3`. */
  readonly testset?: string | undefined;
  readonly trials?: number | undefined;
  readonly concurrency?: number | undefined;
  /** In US dollars, judges included. */
  readonly max_cost?: number | undefined;
  readonly message?: string | undefined;
  /** The revision of the scorers' configurations. */
  readonly scorers_revision?: number | undefined;
}

/** A case as a client sends it. */
export interface NewRunCase {
  readonly id: string;
  readonly inputs: unknown;
  readonly expected?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

/** A score of a result: `value` from 0 to 1 where the status is `ok`, else null. */
export interface RunScore {
  readonly name: string;
  readonly status: ScoreStatus;
  readonly value: number | null;
  readonly label: string | null;
  readonly explanation: string | null;
  /** Why it failed, or was skipped. */
  readonly error: string | null;
  /** Of the scorer. */
  readonly version: string | null;
}

/** What came of one call: one for each column, case and trial. */
export interface RunResult {
  readonly column: string;
  readonly case: string;
  /** From 0. */
  readonly trial: number;
  /** Of the call. */
  readonly status: "ok" | "error";
  /** Null where the call failed. */
  readonly output: unknown;
  /** Whether the output was too large: `output` is the beginning of its JSON then, a text. */
  readonly is_output_cut: boolean;
  /** Why the call failed. */
  readonly error: string | null;
  readonly trace_id: string | null;
  readonly span_id: string | null;
  readonly latency_ms: number | null;
  /** In US dollars; null where it is not known. */
  readonly cost: number | null;
  readonly judge_cost: number | null;
  readonly scores: readonly RunScore[];
  readonly created_at: string;
}

/** A result as a client sends it. */
export interface NewRunResult {
  readonly column: string;
  readonly case: string;
  readonly trial?: number | undefined;
  readonly status: RunResult["status"];
  readonly output?: unknown;
  readonly error?: string | null | undefined;
  readonly trace_id?: string | null | undefined;
  readonly span_id?: string | null | undefined;
  readonly latency_ms?: number | null | undefined;
  readonly cost?: number | null | undefined;
  readonly judge_cost?: number | null | undefined;
  readonly scores?: readonly NewRunScore[] | undefined;
}

export interface NewRunScore {
  readonly name: string;
  readonly status?: ScoreStatus | undefined;
  readonly value?: number | null | undefined;
  readonly label?: string | null | undefined;
  readonly explanation?: string | null | undefined;
  readonly error?: string | null | undefined;
  readonly version?: string | null | undefined;
}

/** Names one item of a run. */
export interface RunItem {
  readonly column: string;
  readonly case: string;
  readonly trial: number;
}

/** What came of sending results. */
export interface AddedResults {
  readonly added: number;
  /** Items that have a result already: the first one stays. */
  readonly ignored: readonly RunItem[];
}

/** What came of sending cases. */
export interface AddedCases {
  readonly added: number;
  /** Ids of cases that the run has already: the first one stays. */
  readonly ignored: readonly string[];
}

/** The figures of a run's calls in one column. */
export interface ColumnFigures {
  readonly column: string;
  readonly results: number;
  readonly errors: number;
  /** Items without a result. */
  readonly missing: number;
  /** Of the calls that did not fail; null without any. */
  readonly latency_ms: {
    readonly mean: number;
    readonly p50: number;
    readonly p95: number;
  } | null;
  /** In US dollars; the mean is of the calls whose cost is known. */
  readonly cost: {
    readonly total: number;
    readonly mean: number | null;
    readonly unknown: number;
  };
  readonly judge_cost: { readonly total: number; readonly unknown: number };
}

/** One score in one column: how many values there are, and their mean over the cases. */
export interface ScoreCounts {
  readonly mean: number | null;
  readonly ok: number;
  readonly skipped: number;
  /** A failed call has no output to judge: its scores are failed, too. */
  readonly failed: number;
}

export interface ScoreFigures {
  readonly score: string;
  readonly columns: readonly (ScoreCounts & { readonly column: string })[];
  /** Candidate − baseline; null without a baseline. */
  readonly comparison: Comparison | null;
}

export interface RunFigures {
  readonly columns: readonly ColumnFigures[];
  readonly scores: readonly ScoreFigures[];
}

/** One case in one column, over its trials. */
export interface RunCaseColumn {
  readonly column: string;
  readonly results: number;
  readonly errors: number;
  /** Mean of the trials. */
  readonly latency_ms: number | null;
  /** Of the trials together; null where one is not known. */
  readonly cost: number | null;
  readonly scores: Readonly<Record<string, ScoreCounts>>;
}

/** A case of a run, with what came of it in each column. */
export interface RunCase {
  readonly id: string;
  readonly inputs: unknown;
  /** Absent where nothing is expected. */
  readonly expected?: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Whether its content was deleted; else not there. */
  readonly purged?: true | undefined;
  readonly columns: readonly RunCaseColumn[];
  /** Candidate − baseline by score; null where one of them has no value. Empty without a baseline. */
  readonly differences: Readonly<Record<string, number | null>>;
}
