import { withoutNoise } from "@agate/spans/tree";
import type {
  AnalyticsBucket,
  AnalyticsFigures,
  AnalyticsRequest,
  AnalyticsResult,
} from "../span-query.ts";
import { NO_TRACES } from "../span-query.ts";
import { exactSum } from "./exact-sum.ts";
import { percentilesOf } from "./percentiles.ts";

/** The traces of one group that started in one bucket, added up. */
export interface AnalyticsCell {
  /** Counted from the beginning of the range. */
  readonly bucket: number;
  readonly count: number;
  readonly errors: number;
  readonly cost: number | null;
  /** How many have a cost, and how many have tokens. */
  readonly priced: number;
  readonly metered: number;
  readonly input: number;
  readonly output: number;
  readonly total: number;
  /** Of the traces that have ended, in any order. */
  readonly latencies: Float64Array;
}

export type GroupKey = string | null;

/** A cell, and whose it is: `key` is null for traces without one, and for all that are not shown. */
export interface GroupCell extends AnalyticsCell {
  readonly key: GroupKey;
  readonly hasNone: boolean;
}

export const NOTHING_FOUND: AnalyticsResult = {
  total: NO_TRACES,
  buckets: [],
  groups: [],
  groupsLeftOut: 0,
};

/** What is told of all traces together. */
export function totalOf(
  cells: readonly AnalyticsCell[],
  request: AnalyticsRequest,
): AnalyticsResult {
  return {
    total: figuresOf(cells),
    buckets: bucketsOf(cells, request),
    groups: [],
    groupsLeftOut: 0,
  };
}

/**
 * The same, and of groups: whatever is told is made from the same cells, so that a trace is read
 * once for it and the percentiles stay exact.
 *
 * @param keys The groups that are shown, in order.
 */
export function groupsOf(
  cells: readonly GroupCell[],
  request: AnalyticsRequest,
  { keys, leftOut }: { readonly keys: readonly GroupKey[]; readonly leftOut: number },
): AnalyticsResult {
  const byKey = Map.groupBy(cells, ({ key, hasNone }) => (hasNone ? null : (key ?? undefined)));
  return {
    ...totalOf(cells, request),
    groups: keys.map((key) => {
      const own = byKey.get(key) ?? [];
      return { key, ...figuresOf(own), buckets: bucketsOf(own, request) };
    }),
    groupsLeftOut: leftOut,
  };
}

function bucketsOf(
  cells: readonly AnalyticsCell[],
  { from, interval }: AnalyticsRequest,
): AnalyticsBucket[] {
  return [...Map.groupBy(cells, ({ bucket }) => bucket)]
    .sort(([a], [b]) => a - b)
    .map(([bucket, own]) => ({ start: from + bucket * interval, ...figuresOf(own) }));
}

function figuresOf(cells: readonly AnalyticsCell[]): AnalyticsFigures {
  const sum = (figure: "count" | "errors" | "priced" | "metered" | "input" | "output" | "total") =>
    cells.reduce((before, cell) => before + cell[figure], 0);
  const costs = cells.map(({ cost }) => cost).filter((cost) => cost !== null);
  return {
    count: sum("count"),
    errors: sum("errors"),
    cost: costs.length === 0 ? null : withoutNoise(exactSum(costs)),
    withCost: sum("priced"),
    withTokens: sum("metered"),
    inputTokens: sum("input"),
    outputTokens: sum("output"),
    totalTokens: sum("total"),
    latency: percentilesOf(joined(cells.map(({ latencies }) => latencies))),
  };
}

function joined(lists: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(lists.reduce((length, list) => length + list.length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}
