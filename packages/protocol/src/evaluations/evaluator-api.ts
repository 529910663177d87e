import type { ScorerConfigs } from "../registry/scorers-revision.ts";
import type { RunGates } from "../statistics/judge-run.ts";
import type { ScorerIdentity } from "./scorer-identity.ts";

export type { ScorerConfigs } from "../registry/scorers-revision.ts";
export type { ConfiguredScorers } from "./configure-scorers.ts";
export { configuredVersion, configureScorers } from "./configure-scorers.ts";
export type { ScorerConfiguration, ScorerIdentity } from "./scorer-identity.ts";

/**
 * What a runner and an evaluator process say to each other, over HTTP on the evaluator's private socket:
 * `GET /evaluations`, `POST /evaluations/NAME/check`, `POST /evaluations/NAME/score`, and
 * `POST /run/ROUTE` as the application serves it.
 */

/** Names the item of a run that a call is made for: its JSON, percent-encoded. Only an evaluator honours it. */
export const RUN_HEADER = "agate-run";

/** What {@link RUN_HEADER} holds. */
export interface CalledItem {
  readonly run: string;
  readonly case: string;
  readonly trial: number;
  /** The run's column, as spans name it. */
  readonly column?: string | undefined;
  /** To run with the code's own defaults; else with what the body or the environment names. */
  readonly config?: "code" | undefined;
}

/** Headers of an evaluator's answer to a call. */
export const CALL_HEADERS = {
  /** Milliseconds that the call's own span took. */
  latency: "agate-latency",
  /** US dollars; not there where the cost is unknown. */
  cost: "agate-cost",
  /** The status of the overloaded model that made the call fail: 429, 503 or 529. */
  overload: "agate-overload",
  /** Milliseconds after which the overloaded model wants to be asked again. */
  retryAfter: "agate-retry-after",
} as const;

/** An evaluation that an eval file declares. */
export interface DeclaredEvaluation {
  readonly name: string;
  /** The slug of the application. */
  readonly application: string;
  /** The path of the route that it calls. */
  readonly route: string;
  /** Which test set, or the cases themselves. */
  readonly testset: string | readonly unknown[];
  readonly trials: number;
  readonly concurrency: number;
  readonly gate: RunGates | null;
  readonly scorers: readonly ScorerIdentity[];
}

/** A case, as far as an evaluator checks it. */
export interface CheckedRow {
  readonly id: string;
  readonly inputs: unknown;
  readonly expected?: unknown;
}

/** Why a case cannot run. */
export interface CheckFault {
  readonly id: string;
  /** From the row to the part that is wrong: `["inputs", "question"]`. */
  readonly path: readonly (string | number)[];
  readonly msg: string;
}

/** One output to be scored. */
export interface ScoreRequest {
  readonly run: string;
  readonly case: string;
  readonly trial: number;
  /** The run's column, as spans name it. */
  readonly column?: string | undefined;
  readonly inputs: unknown;
  readonly output: unknown;
  readonly expected?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Of the call that gave the output; null where neither this process nor the platform has its trace. */
  readonly span: {
    readonly trace_id: string;
    readonly span_id: string;
    /** Of an earlier run: the platform has its trace by now, or never. */
    readonly is_stored?: boolean | undefined;
  } | null;
  /** Which scorers are run; all where not given. */
  readonly scorers?: readonly string[] | undefined;
  /** The configurations that the run is pinned to; else each scorer has its defaults. */
  readonly configs?: ScorerConfigs | undefined;
}

/** A score. Only one that is `ok` has a value: a failed judgement is never a 0. */
export type EvaluationScore =
  | {
      readonly status: "ok";
      readonly value: number;
      readonly label?: string;
      readonly explanation?: string;
      readonly metadata?: Readonly<Record<string, unknown>>;
    }
  | { readonly status: "skipped"; readonly explanation: string }
  | {
      readonly status: "failed";
      readonly error: string;
      /** The status of a model that was overloaded: the score may be tried again. */
      readonly overload?: 429 | 503 | 529;
    };

export interface ScoreResponse {
  readonly scores: Readonly<Record<string, EvaluationScore>>;
  /** Of the scorers' model calls, in US dollars; null where it is unknown. */
  readonly cost: number | null;
}
