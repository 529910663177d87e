import type { ScoreGrouping } from "@agate/protocol";
import { withoutNoise } from "@agate/spans/tree";
import type {
  LabelCount,
  ScoreBucket,
  ScoreFigures,
  ScoreFiguresRequest,
  ScoreFiguresResult,
  ScoreGroupKey,
} from "../score-query.ts";
import { exactSum } from "./analytics-cells.ts";

/** The scores of one name and group whose traces started in one bucket, added up. */
export interface ScoreCell {
  readonly name: string;
  /** In the order of the groups that are shown; null for all others, and without groups. */
  readonly place: number | null;
  /** Counted from the beginning of the range. */
  readonly bucket: number;
  readonly ok: number;
  readonly skipped: number;
  readonly failed: number;
  readonly valued: number;
  /** Of the values; null without any. */
  readonly sum: number | null;
}

export interface LabelRow extends LabelCount {
  readonly name: string;
}

/** Some of all, and how many more there are. */
export interface Shown<Item> {
  readonly items: readonly Item[];
  readonly leftOut: number;
}

export const NOTHING_SHOWN = { items: [], leftOut: 0 } as const;

/** The columns that a grouping is by: what the key is, and the revision. All but `source` are of traces. */
export function groupColumns(by: ScoreGrouping): {
  readonly key: string;
  readonly revision: string | null;
} {
  return by === "revision" ? { key: "variant", revision: by } : { key: by, revision: null };
}

/**
 * The place of a row's group among those that are shown, as an SQL expression: null for all others.
 *
 * @param column A column as the statement names it.
 * @param value Adds a parameter, and resolves with its placeholder.
 */
export function groupPlace(
  groups: readonly ScoreGroupKey[],
  by: ScoreGrouping,
  column: (name: string) => string,
  value: (value: string | number) => string,
): string {
  if (groups.length === 0) return "NULL";
  const columns = groupColumns(by);
  const is = (name: string, wanted: string | number | null) =>
    wanted === null ? `${column(name)} IS NULL` : `${column(name)} = ${value(wanted)}`;
  const cases = groups.map(({ key, revision }, place) => {
    const keyed = is(columns.key, key);
    const both =
      columns.revision === null ? keyed : `${keyed} AND ${is(columns.revision, revision)}`;
    return `WHEN ${both} THEN ${place}`;
  });
  return `CASE ${cases.join(" ")} END`;
}

/** Puts together what a store has added up. */
export function scoreFiguresOf(
  { from, interval }: ScoreFiguresRequest,
  names: Shown<string>,
  groups: Shown<ScoreGroupKey>,
  cells: readonly ScoreCell[],
  labels: readonly LabelRow[],
): ScoreFiguresResult {
  const cellsOf = Map.groupBy(cells, ({ name }) => name);
  const labelsOf = Map.groupBy(labels, ({ name }) => name);
  const bucketsOf = (own: readonly ScoreCell[]): ScoreBucket[] =>
    [...Map.groupBy(own, ({ bucket }) => bucket)]
      .sort(([a], [b]) => a - b)
      .map(([bucket, some]) => ({ start: from + bucket * interval, ...figuresOf(some) }));
  return {
    names: names.items.map((name) => {
      const own = cellsOf.get(name) ?? [];
      const byPlace = Map.groupBy(own, ({ place }) => place);
      return {
        name,
        ...figuresOf(own),
        buckets: bucketsOf(own),
        labels: (labelsOf.get(name) ?? []).map(({ label, count }) => ({ label, count })),
        groups: groups.items.flatMap((group, place) => {
          const some = byPlace.get(place);
          return some === undefined
            ? []
            : [{ ...group, ...figuresOf(some), buckets: bucketsOf(some) }];
        }),
      };
    }),
    namesLeftOut: names.leftOut,
    groupsLeftOut: groups.leftOut,
  };
}

function figuresOf(cells: readonly ScoreCell[]): ScoreFigures {
  const total = (figure: "ok" | "skipped" | "failed" | "valued") =>
    cells.reduce((before, cell) => before + cell[figure], 0);
  const withValue = total("valued");
  // Null is what a store tells of values that have no sum.
  const sums = cells.flatMap(({ valued, sum }) => (valued === 0 ? [] : (sum ?? Number.NaN)));
  const mean = withValue === 0 ? null : withoutNoise(exactSum(sums) / withValue);
  return {
    count: total("ok"),
    skipped: total("skipped"),
    failed: total("failed"),
    withValue,
    // Values near the largest number have no sum.
    mean: mean !== null && Number.isFinite(mean) ? mean : null,
  };
}
