import type { AnalyticsGrouping, ListContent, SpanKind, SpanStatus } from "@agate/protocol";
import type { ScoreCondition } from "./score-store.ts";

/** Evaluation traffic are traces of which a span names an evaluation run; all others are live. */
export type Traffic = "live" | "evaluation";

/** Whether a trace is of a kind of traffic, by the run that it has. */
export function isTraffic(wanted: Traffic | undefined, run: string | null): boolean {
  return wanted === undefined || (wanted === "live") === (run === null);
}

/**
 * Every condition must hold; an absent one always does. Times are microseconds since 1970.
 *
 * A trace is filtered by its top span. An application, route, variant, environment, user, session or run
 * that the top lacks comes from the earliest span that has one; variant and revision come from the same span.
 */
export interface SpanFilter {
  readonly application?: string;
  readonly route?: string;
  readonly variant?: string;
  readonly revision?: number;
  readonly environment?: string;
  readonly status?: SpanStatus;
  readonly spankind?: SpanKind;
  readonly name?: string;
  readonly userId?: string;
  readonly sessionId?: string;
  /** The evaluation run of the trace; spans are found by that of their trace, too. */
  readonly run?: string;
  /** Of the trace. Absent: all. */
  readonly traffic?: Traffic;
  /** Of the trace: whether any of its spans failed. */
  readonly anyError?: boolean;
  /** Inclusive. */
  readonly startedFrom?: number;
  /** Exclusive. */
  readonly startedBefore?: number;
  /** Milliseconds. */
  readonly minLatency?: number;
  /** US dollars. Traces compare their total, spans their own cost. */
  readonly minCost?: number;
  /**
   * Words that must all occur in the name or the content; `"quoted words"` as a phrase, inside of one text. A trace
   * matches when each of them occurs in any of its spans.
   */
  readonly text?: string;
  /** A trace matches by the scores of any of its spans, a span by those that name it. */
  readonly score?: ScoreCondition;
  /** Only these traces, or spans of them. */
  readonly traceIds?: readonly string[];
}

/** Where a page stopped. Lists are ordered by start to the nanosecond, then id, both descending. */
export interface ListPosition {
  readonly start: number;
  /** 0 to 999, beyond the microseconds of `start`. */
  readonly startNanos: number;
  readonly traceId: string;
  /** Null in a list of traces. */
  readonly spanId: string | null;
}

/** The memory limit of a list page, or of the tops of some traces; a single item may exceed it. */
export const MOST_PAGE_BYTES = 8 * 1024 * 1024;

export interface ListRequest {
  readonly project: string;
  readonly filter: SpanFilter;
  readonly limit: number;
  /** Whole records by default. */
  readonly content?: ListContent | undefined;
  /**
   * The page ends before an item that would take it beyond this many bytes, but has at least one; {@link
   * MOST_PAGE_BYTES} by default.
   */
  readonly maxBytes?: number;
  readonly after: ListPosition | null;
}

export interface ListPage {
  /** Listed span records (no `children`), each one a JSON text. */
  readonly items: readonly string[];
  /** Where the next page begins; null at the end of the list. A page with a next may be short. */
  readonly next: ListPosition | null;
  /** Ids of traces of which damaged spans were left out. */
  readonly damaged?: readonly string[];
}

export interface AnalyticsRequest {
  readonly project: string;
  readonly filter: SpanFilter;
  /** Microseconds since 1970, both multiples of `interval`; `from` inclusive, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  /** Microseconds. */
  readonly interval: number;
  /** Null: all traces together. */
  readonly groups: { readonly by: AnalyticsGrouping; readonly limit: number } | null;
}

/** A request for the start of the first matching trace. */
export type EarliestRequest = Pick<AnalyticsRequest, "project" | "filter">;

/** Aggregated figures of some traces. */
export interface AnalyticsFigures {
  readonly count: number;
  readonly errors: number;
  /** US dollars; null when no trace has a known cost. */
  readonly cost: number | null;
  /** How many traces have a known cost, perhaps of a part of their calls. */
  readonly withCost: number;
  /** How many traces have a cost that is of all their calls, and what these cost together. */
  readonly priced: { readonly count: number; readonly cost: number | null };
  /** How many traces have known tokens. */
  readonly withTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  /**
   * Milliseconds, exact, interpolated as PostgreSQL's `percentile_cont` does; null when no trace
   * has ended.
   */
  readonly latency: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
}

export const NO_TRACES: AnalyticsFigures = {
  count: 0,
  errors: 0,
  cost: null,
  withCost: 0,
  priced: { count: 0, cost: null },
  withTokens: 0,
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  latency: null,
};

/** Traces that started in one slice of time. Buckets without traces are left out by the store. */
export interface AnalyticsBucket extends AnalyticsFigures {
  readonly start: number;
}

/** Traces of one value; null for those that have none. */
export interface AnalyticsGroup extends AnalyticsFigures {
  readonly key: string | null;
  readonly buckets: readonly AnalyticsBucket[];
}

export interface AnalyticsResult {
  readonly total: AnalyticsFigures;
  readonly buckets: readonly AnalyticsBucket[];
  /** Those with most traces, most first, then by key, null last. */
  readonly groups: readonly AnalyticsGroup[];
  /** How many groups more there are. */
  readonly groupsLeftOut: number;
}
