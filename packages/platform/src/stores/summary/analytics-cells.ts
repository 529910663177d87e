import { withoutNoise } from "@agate/spans/tree";
import type {
  AnalyticsBucket,
  AnalyticsFigures,
  AnalyticsRequest,
  AnalyticsResult,
} from "../span-query.ts";
import { NO_TRACES } from "../span-query.ts";

/** The traces of one group that started in one bucket, added up. */
export interface AnalyticsCell {
  /** Counted from the beginning of the range. */
  readonly bucket: number;
  readonly count: number;
  readonly errors: number;
  readonly cost: number | null;
  /** How many have a cost, perhaps of a part of their calls, and how many have tokens. */
  readonly costed: number;
  readonly metered: number;
  /** How many have a cost that is of all their calls, and what these cost. */
  readonly priced: number;
  readonly pricedCost: number | null;
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

/** The figures of all traces together. */
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
 * The same, and for groups: all figures come from the same cells, so that each trace is read once and the
 * percentiles stay exact.
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
  const sum = (
    figure: "count" | "errors" | "costed" | "metered" | "priced" | "input" | "output" | "total",
  ) => cells.reduce((before, cell) => before + cell[figure], 0);
  return {
    count: sum("count"),
    errors: sum("errors"),
    cost: costOf(cells.map(({ cost }) => cost)),
    withCost: sum("costed"),
    priced: { count: sum("priced"), cost: costOf(cells.map(({ pricedCost }) => pricedCost)) },
    withTokens: sum("metered"),
    inputTokens: sum("input"),
    outputTokens: sum("output"),
    totalTokens: sum("total"),
    latency: percentilesOf(joined(cells.map(({ latencies }) => latencies))),
  };
}

/** Null where all are unknown. */
function costOf(costs: readonly (number | null)[]): number | null {
  const known = costs.filter((cost) => cost !== null);
  return known.length === 0 ? null : withoutNoise(exactSum(known));
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

/**
 * Neumaier summation: adds up the rounding errors too, which thousands of small costs would otherwise show.
 */
export function exactSum(numbers: readonly number[]): number {
  let sum = 0;
  let lost = 0;
  for (const number of numbers) {
    const next = sum + number;
    lost += Math.abs(sum) >= Math.abs(number) ? sum - next + number : number - next + sum;
    sum = next;
  }
  return sum + lost;
}

/**
 * Interpolated between the two nearest values, as PostgreSQL's `percentile_cont` does.
 *
 * @param values Is sorted in place.
 * @returns null for an empty list.
 */
function percentilesOf(values: Float64Array): { p50: number; p95: number; p99: number } | null {
  if (values.length === 0) return null;
  const sorted = values.sort();
  return { p50: at(sorted, 0.5), p95: at(sorted, 0.95), p99: at(sorted, 0.99) };
}

function at(sorted: Float64Array, fraction: number): number {
  const place = (sorted.length - 1) * fraction;
  const low = sorted[Math.floor(place)] as number;
  const high = sorted[Math.ceil(place)] as number;
  return low + (high - low) * (place - Math.floor(place));
}
