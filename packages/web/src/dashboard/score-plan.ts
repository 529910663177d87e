import type { NamedScoreAnalytics, ScoreAnalyticsBucket } from "@agate/protocol";
import { formatScore, plural } from "@agate/protocol/format";
import type { BucketedScores } from "../api/analytics.ts";
import { seriesPaint } from "../charts/chart-series.ts";

import type { ChartPlan, PlannedSeries } from "./chart-plan.ts";
import type { Split } from "./dashboard-search.ts";
import { groupId, type ShownGroup } from "./shown-groups.ts";

/** The score that is shown: the one asked for, or that with most scores; null where there is none. */
export function chosenScore(
  { names }: BucketedScores,
  asked: string | undefined,
): NamedScoreAnalytics | null {
  return names.find(({ name }) => name === asked) ?? names[0] ?? null;
}

type BucketRange = Pick<BucketedScores, "from" | "to" | "bucketCount">;

/** A score of which no mean is known yet. */
export function withoutBuckets(score: NamedScoreAnalytics): NamedScoreAnalytics {
  return { ...score, buckets: [], groups: [] };
}

/**
 * The chart of the mean of a score. Buckets in which no score has a value are gaps, not zeros: what was
 * skipped or has failed is no part of the mean.
 */
export function planScoreChart(
  range: BucketRange,
  score: NamedScoreAnalytics,
  groups: readonly ShownGroup[],
  split: Split | null,
): ChartPlan {
  const find = { score: `${score.name}:any` };
  const whole: PlannedSeries = {
    id: "mean",
    label: "Mean",
    paint: seriesPaint(0),
    values: means(range, score.buckets),
    filters: find,
    isSeparable: true,
  };
  return {
    name: "score",
    title: `Score: ${score.name}`,
    kind: "lines",
    format: (value) => (value === null ? "–" : formatScore(value)),
    formatUnit: (value) => (value === null ? "–" : formatScore(value)),
    series: groups.length > 1 ? groupSeries() : [whole],
    usualSeries: 0,
  };

  /** A series for each shown group, in the colour that it has in the other charts. */
  function groupSeries(): readonly PlannedSeries[] {
    const buckets = new Map(
      (score.groups ?? []).map((group) => [groupId(group.key), group.buckets]),
    );
    return groups.map(({ id, label, paint, key }) => ({
      id,
      label,
      paint,
      values: means(range, buckets.get(id) ?? []),
      filters: split === null || key === undefined ? find : { ...find, [split]: key },
      isSeparable: key !== undefined,
    }));
  }
}

/** The mean in each bucket of the range; null where there is none. */
function means(
  { from, to, bucketCount }: BucketRange,
  buckets: readonly ScoreAnalyticsBucket[],
): readonly (number | null)[] {
  const start = Date.parse(from);
  const width = (Date.parse(to) - start) / bucketCount;
  const values = new Array<number | null>(bucketCount).fill(null);
  for (const bucket of buckets) {
    const index = Math.round((Date.parse(bucket.start) - start) / width);
    if (index >= 0 && index < bucketCount) values[index] = bucket.mean;
  }
  return values;
}

/** @example scoreSummary(score) // "Mean 0.75 of 24 · 2 without a value · 3 skipped · 1 failed" */
export function scoreSummary(score: NamedScoreAnalytics): string {
  const { count, with_value, mean, skipped, failed } = score;
  const counted = (times: number, words: string) =>
    times === 0 ? [] : [`${times.toLocaleString("en")} ${words}`];
  return [
    mean === null
      ? plural(count, "score")
      : `Mean ${formatScore(mean)} of ${with_value.toLocaleString("en")}`,
    ...(mean === null ? [] : counted(count - with_value, "without a value")),
    ...counted(skipped, "skipped"),
    ...counted(failed, "failed"),
  ].join(" · ");
}
