import type { Score } from "@agate/protocol";

/** The scores of one name that a row has. */
export interface RowScore {
  readonly name: string;
  /** Scores with the status `ok`. */
  readonly count: number;
  /** Of their values; null where none has a value. */
  readonly mean: number | null;
  /** The label that all of them have; null where they differ or have none. */
  readonly label: string | null;
  readonly skipped: number;
  readonly failed: number;
}

/** The scores of a row by name, in the order of their first. */
export interface RowScores {
  readonly shown: readonly RowScore[];
  /** How many further names there are. */
  readonly leftOut: number;
}

/** A list of a hundred thousand rows keeps no more names of each. */
export const MOST_ROW_SCORES = 10;

export const NO_ROW_SCORES: RowScores = { shown: [], leftOut: 0 };

/** What a list shows of the scores of a span. Skipped and failed ones are counted, and never part of the mean. */
export function rowScores(scores: readonly Score[] | undefined): RowScores {
  if (scores === undefined || scores.length === 0) return NO_ROW_SCORES;
  const named = [...Map.groupBy(scores, ({ name }) => name)];
  return {
    shown: named.slice(0, MOST_ROW_SCORES).map(([name, own]) => rowScore(name, own)),
    leftOut: Math.max(0, named.length - MOST_ROW_SCORES),
  };
}

function rowScore(name: string, scores: readonly Score[]): RowScore {
  const ok = scores.filter(({ status }) => status === "ok");
  const values = ok.flatMap(({ value }) => (value === null ? [] : [value]));
  const label = ok[0]?.label ?? null;
  return {
    name,
    count: ok.length,
    mean: values.length === 0 ? null : values.reduce((sum, each) => sum + each, 0) / values.length,
    label: ok.every((score) => score.label === label) ? label : null,
    skipped: scores.filter(({ status }) => status === "skipped").length,
    failed: scores.filter(({ status }) => status === "failed").length,
  };
}
