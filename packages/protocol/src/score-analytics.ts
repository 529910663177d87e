import { ANALYTICS_GROUPINGS } from "./analytics.ts";

/**
 * What scores are grouped by: what their traces are found by, or the kind of their own source. `revision`
 * is one of a variant.
 */
export const SCORE_GROUPINGS = [...ANALYTICS_GROUPINGS, "revision", "source"] as const;

/** @example const grouping: ScoreGrouping = "variant" */
export type ScoreGrouping = (typeof SCORE_GROUPINGS)[number];

/** What is told of a number of scores of one name. */
export interface ScoreAnalyticsFigures {
  /** Scores with the status `ok`; the others are counted apart. */
  readonly count: number;
  readonly skipped: number;
  readonly failed: number;
  /** How many have a value, which a label alone lacks: what the mean is of. */
  readonly with_value: number;
  /** Of the values; null where there is none. */
  readonly mean: number | null;
}

/** Scores whose traces started in one slice of time. */
export interface ScoreAnalyticsBucket extends ScoreAnalyticsFigures {
  /** RFC 3339, UTC; inclusive. */
  readonly start: string;
}

/** Scores that have the same value where they were grouped. */
export interface ScoreAnalyticsGroup extends ScoreAnalyticsFigures {
  /** The value; null for traces that have none. With `group_by=source`: `code`, `model`, `human` or `end_user`. */
  readonly key: string | null;
  /** With `group_by=revision`: of the variant that is the key. */
  readonly revision?: number | null;
  /** Without empty ones. */
  readonly buckets: readonly ScoreAnalyticsBucket[];
}

/** The scores of one name. */
export interface NamedScoreAnalytics extends ScoreAnalyticsFigures {
  readonly name: string;
  /** Of scores with the status `ok`, the most frequent 20. */
  readonly labels: readonly { readonly label: string; readonly count: number }[];
  /** Without empty ones. */
  readonly buckets: readonly ScoreAnalyticsBucket[];
  /** With `group_by`: without those that have no score of this name. */
  readonly groups?: readonly ScoreAnalyticsGroup[];
}

/** `GET /observability/analytics/scores/`. */
export interface ScoreAnalytics {
  /** RFC 3339, UTC: the range that was asked for, widened to whole buckets. */
  readonly from: string;
  readonly to: string;
  /** Width of a bucket: `15m`. */
  readonly interval: string;
  /** The 50 with most scores, most first, then by name. */
  readonly names: readonly NamedScoreAnalytics[];
  /** How many names more there are. */
  readonly names_left_out: number;
  /** With `group_by`: how many groups more there are than `group_limit`. */
  readonly groups_left_out?: number;
}
