import type { Analytics, AnalyticsBucket, AnalyticsFigures, AnalyticsGroup } from "@agate/protocol";
import { OTHER_PAINT, type SeriesPaint, seriesPaint } from "../charts/chart-series.ts";
import { shownName } from "../spans/shown-name.ts";

/** A group of traces: a row of the table, a series in each chart. */
export interface ShownGroup {
  readonly id: string;
  readonly label: string;
  readonly paint: SeriesPaint;
  readonly figures: AnalyticsFigures;
  readonly buckets: readonly AnalyticsBucket[];
  /** The value that the traces share; undefined where it cannot be filtered by. */
  readonly key: string | undefined;
}

/** The id of the group of everything that the response left out. */
export const LEFT_OUT = "more";

/** Tells a group from the others, and from what was left out. */
export function groupId(key: string | null): string {
  return key === null ? "none" : `key ${key}`;
}

/** The groups of a response, most calls first, then one group for all that it left out. */
export function shownGroups(analytics: Analytics): readonly ShownGroup[] {
  const { groups = [], groups_left_out: leftOut = 0 } = analytics;
  // Colours by name, so that a group keeps its colour when the order changes.
  const byName = [...groups].sort((a, b) => compareKeys(a.key, b.key));
  const shown = groups.map((group) => ({
    id: groupId(group.key),
    label: group.key === null ? "(none)" : shownName(group.key),
    paint: seriesPaint(byName.indexOf(group)),
    figures: group,
    buckets: group.buckets,
    // An empty value cannot be filtered by.
    key: group.key || undefined,
  }));
  return leftOut === 0 ? shown : [...shown, otherGroup(analytics, groups, leftOut)];
}

function otherGroup(
  analytics: Analytics,
  groups: readonly AnalyticsGroup[],
  leftOut: number,
): ShownGroup {
  return {
    id: LEFT_OUT,
    label: `${leftOut} more`,
    paint: OTHER_PAINT,
    figures: remainder(analytics.total, groups),
    buckets: analytics.buckets.map((bucket, index) => ({
      start: bucket.start,
      ...remainder(
        bucket,
        groups.flatMap(({ buckets }) => buckets[index] ?? []),
      ),
    })),
    key: undefined,
  };
}

/** The whole minus its parts. Percentiles cannot be subtracted. */
export function remainder(
  whole: AnalyticsFigures,
  parts: readonly AnalyticsFigures[],
): AnalyticsFigures {
  const rest = (figure: (of: AnalyticsFigures) => number) =>
    parts.reduce((left, part) => left - figure(part), figure(whole));
  const dollars = (figure: (of: AnalyticsFigures) => number | null) => {
    const cost = rest((of) => figure(of) ?? 0);
    // A difference this small is a rounding error.
    return cost < (figure(whole) ?? 0) * 1e-9 ? 0 : cost;
  };
  const withCost = rest((of) => of.with_cost);
  const priced = rest((of) => of.priced.count);
  return {
    count: rest((of) => of.count),
    errors: rest((of) => of.errors),
    cost: withCost === 0 ? null : dollars((of) => of.cost),
    with_cost: withCost,
    priced: { count: priced, cost: priced === 0 ? null : dollars((of) => of.priced.cost) },
    with_tokens: rest((of) => of.with_tokens),
    tokens: {
      input: rest((of) => of.tokens.input),
      output: rest((of) => of.tokens.output),
      total: rest((of) => of.tokens.total),
    },
    latency: null,
  };
}

function compareKeys(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a < b ? -1 : 1;
}
