import type { ScoreGrouping, ScoreSourceKind } from "@agate/protocol";
import type { AnalyticsRequest } from "./span-query.ts";

/** A request for the figures of the scores of some traces, which are counted where their traces started. */
export interface ScoreFiguresRequest extends Omit<AnalyticsRequest, "groups"> {
  /** Null: all traces together. */
  readonly groups: { readonly by: ScoreGrouping; readonly limit: number } | null;
  /** Only scores of this kind; all where not given. */
  readonly source?: ScoreSourceKind | undefined;
}

/** The names that figures are given of, those with most scores. */
export const MOST_SCORE_NAMES = 50;

/** The labels of a name that are counted, the most frequent ones. */
export const MOST_SCORE_LABELS = 20;

/** Figures of some scores of one name. */
export interface ScoreFigures {
  /** Scores with the status `ok`; what was skipped or has failed is counted apart. */
  readonly count: number;
  readonly skipped: number;
  readonly failed: number;
  /** How many have a value, which a label alone lacks. */
  readonly withValue: number;
  /** Of the values; null where there is none. */
  readonly mean: number | null;
}

export const NO_SCORES: ScoreFigures = {
  count: 0,
  skipped: 0,
  failed: 0,
  withValue: 0,
  mean: null,
};

/** Scores of traces that started in one slice of time. Buckets without scores are left out by the store. */
export interface ScoreBucket extends ScoreFigures {
  readonly start: number;
}

/** What a group has in common. */
export interface ScoreGroupKey {
  /** Null: their traces have none. */
  readonly key: string | null;
  /** Of the variant that is the key; null where scores are not grouped by revision. */
  readonly revision: number | null;
}

/** Scores of traces that have a value in common. */
export interface ScoreGroup extends ScoreFigures, ScoreGroupKey {
  readonly buckets: readonly ScoreBucket[];
}

export interface LabelCount {
  readonly label: string;
  readonly count: number;
}

/** The scores of one name. */
export interface NamedScoreFigures extends ScoreFigures {
  readonly name: string;
  readonly buckets: readonly ScoreBucket[];
  /** Of scores with the status `ok`, the most frequent first; at most {@link MOST_SCORE_LABELS}. */
  readonly labels: readonly LabelCount[];
  /** In the order of the result's groups; without those that have no score of this name. */
  readonly groups: readonly ScoreGroup[];
}

export interface ScoreFiguresResult {
  /** Those with most scores, most first, then by name; at most {@link MOST_SCORE_NAMES}. */
  readonly names: readonly NamedScoreFigures[];
  readonly namesLeftOut: number;
  /** How many groups more there are: those with most scores of any name are given. */
  readonly groupsLeftOut: number;
}

export const NO_SCORES_FOUND: ScoreFiguresResult = {
  names: [],
  namesLeftOut: 0,
  groupsLeftOut: 0,
};
