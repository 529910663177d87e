/** What traces can be grouped by in analytics; each is also a filter of the same name. */
export const ANALYTICS_GROUPINGS = [
  "application",
  "route",
  "variant",
  "environment",
  "status",
  "spankind",
  "name",
  "user_id",
] as const;

/** @example const grouping: AnalyticsGrouping = "route" */
export type AnalyticsGrouping = (typeof ANALYTICS_GROUPINGS)[number];

/** What is told of a number of traces. */
export interface AnalyticsFigures {
  readonly count: number;
  readonly errors: number;
  /** US dollars, of the traces whose cost is known; null where there is none. */
  readonly cost: number | null;
  /** How many traces have a known cost, be it of all or of some of their model calls. */
  readonly with_cost: number;
  /** The traces whose cost is known and of all their model calls: an average divides the one by the other. */
  readonly priced: { readonly count: number; readonly cost: number | null };
  /** Of the traces whose tokens are known; 0 where there is none. */
  readonly tokens: { readonly input: number; readonly output: number; readonly total: number };
  /** How many traces have known tokens: 0 tells unknown tokens from none. */
  readonly with_tokens: number;
  /** Milliseconds; null where no trace has ended. */
  readonly latency: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
}

/** The traces that started in one slice of time. */
export interface AnalyticsBucket extends AnalyticsFigures {
  /** RFC 3339, UTC; inclusive. */
  readonly start: string;
}

/** The traces that have the same value where they were grouped. */
export interface AnalyticsGroup extends AnalyticsFigures {
  /** The value; null for the traces that have none. */
  readonly key: string | null;
  /** As many as the answer itself has, empty ones included. */
  readonly buckets: readonly AnalyticsBucket[];
}

/** `GET /observability/analytics/`. */
export interface Analytics {
  /** RFC 3339, UTC: the range that was asked for, widened to whole buckets. */
  readonly from: string;
  readonly to: string;
  /** Width of a bucket: `15m`. */
  readonly interval: string;
  /** All buckets together; its percentiles are of all traces, not of the buckets. */
  readonly total: AnalyticsFigures;
  readonly buckets: readonly AnalyticsBucket[];
  /** With `group_by`: most traces first, then by key. */
  readonly groups?: readonly AnalyticsGroup[];
  /** With `group_by`: how many groups more there are than `group_limit`. */
  readonly groups_left_out?: number;
}
