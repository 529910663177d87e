import type { EvaluationScore } from "@agate/protocol/evaluator";

/** A case of the run's test set. */
export interface RunCase {
  readonly id: string;
  readonly inputs: unknown;
  readonly expected?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Which of a run's two columns. */
export type ColumnRole = "candidate" | "baseline";

/** One call of a run, and the scores of its output. */
export interface RunItem {
  readonly column: ColumnRole;
  readonly case: RunCase;
  /** From 0. */
  readonly trial: number;
}

/** What became of an item. */
export interface ItemResult {
  readonly column: ColumnRole;
  readonly case: string;
  readonly trial: number;
  /** What the route answered; not there where the call failed. */
  readonly output?: unknown;
  /** Why the call failed; null where it did not. */
  readonly error: string | null;
  /** Where the function threw. */
  readonly stack?: string | undefined;
  readonly trace_id: string | null;
  readonly span_id: string | null;
  /** Milliseconds of the last attempt's own span; null where it is unknown. */
  readonly latency: number | null;
  /** Of all attempts, in US dollars; null where that of one is unknown. */
  readonly cost: number | null;
  /** Of the scorers' model calls; null where it is unknown. */
  readonly judge_cost: number | null;
  /** By the names of their scorers. */
  readonly scores: Readonly<Record<string, EvaluationScore>>;
}

/** Identifies an item within its run. */
export function itemKey(item: { column: ColumnRole; case: string; trial: number }): string {
  return `${item.column}\n${item.trial}\n${item.case}`;
}
