import type { Analytics, AnalyticsBucket, AnalyticsFigures } from "@agate/protocol";
import { formatCompactCount, formatCost, formatDuration, plural } from "@agate/protocol/format";
import { signedTicks, type ValueTicks, valueTicks } from "../charts/axis-ticks.ts";
import {
  type ChartSeries,
  ERROR_PAINT,
  type SeriesPaint,
  seriesPaint,
  sumAt,
} from "../charts/chart-series.ts";
import type { WordedChart } from "../charts/chart-words.ts";
import { bucketSpan, type TimeBuckets } from "../charts/time-buckets.ts";
import { PERCENTILES, type Percentile, type Split } from "./dashboard-search.ts";
import { knownTokens, meteredPart, pricedPart } from "./figures.ts";
import type { ShownGroup } from "./shown-groups.ts";

/** Filters of the list of traces, in addition to the dashboard's own. */
export type TraceFilters = Readonly<Record<string, string>>;

export interface PlannedSeries extends ChartSeries {
  /** The filters that select the traces of this series; empty where there is none. */
  readonly filters: TraceFilters;
}

export const CHARTS = ["calls", "errors", "latency", "tokens", "cost"] as const;
export type ChartName = (typeof CHARTS)[number] | "score";

/** One chart, and the traces behind its points. */
export interface ChartPlan {
  readonly name: ChartName;
  readonly title: string;
  readonly kind: "bars" | "lines";
  /** Short, for the axis and the legend. */
  readonly format: (value: number | null) => string;
  /** With its unit, for a single value. */
  readonly formatUnit: (value: number | null) => string;
  readonly series: readonly PlannedSeries[];
  readonly part?: WordedChart["part"];
  /** The default series; null for all. */
  readonly usualSeries: number | null;
}

export interface ChartOptions {
  readonly split: Split | null;
  readonly percentile: Percentile;
}

type Figure = (bucket: AnalyticsBucket) => number | null;

/**
 * The charts of a response. Several groups have a series each; for a single group, or without groups,
 * the charts show its parts (errors, percentiles, input and output).
 */
export function planCharts(
  analytics: Analytics,
  groups: readonly ShownGroup[],
  options: ChartOptions,
): readonly ChartPlan[] {
  const parts = groups.length > 1 ? groupParts(groups, options) : wholeParts(analytics.buckets);
  const part =
    (of: (figures: AnalyticsFigures) => string | null) =>
    (index: number, chosen: number | null) => {
      const group = groups.length > 1 && chosen !== null ? groups[chosen] : analytics;
      const bucket = group?.buckets[index];
      return bucket === undefined ? null : of(bucket);
    };
  const bars = { kind: "bars", usualSeries: null } as const;
  const counts = (unit: string) => ({
    ...bars,
    format: formatCompactCount,
    formatUnit: (value: number | null) => plural(value, unit),
  });
  return [
    { ...counts("call"), name: "calls", title: "Calls", series: parts.calls },
    { ...counts("error"), name: "errors", title: "Errors", series: parts.errors },
    {
      name: "latency",
      title: "Latency",
      kind: "lines",
      format: formatDuration,
      formatUnit: formatDuration,
      series: parts.latency,
      usualSeries: groups.length > 1 ? 0 : PERCENTILES.indexOf("p95"),
    },
    {
      ...counts("token"),
      name: "tokens",
      title: "Tokens",
      series: parts.tokens,
      part: part(meteredPart),
    },
    {
      ...bars,
      name: "cost",
      title: "Cost",
      series: parts.cost,
      part: part(pricedPart),
      format: formatCost,
      formatUnit: formatCost,
    },
  ];
}

type Parts = Readonly<Record<(typeof CHARTS)[number], readonly PlannedSeries[]>>;

function wholeParts(buckets: readonly AnalyticsBucket[]): Parts {
  const series = (
    label: string,
    paint: SeriesPaint,
    figure: Figure,
    more: Partial<PlannedSeries> = {},
  ): PlannedSeries => ({
    id: label,
    label,
    paint,
    values: buckets.map(figure),
    filters: {},
    isSeparable: true,
    ...more,
  });
  const errors = series("Errors", ERROR_PAINT, (of) => of.errors, {
    filters: { status: "ERROR" },
  });
  // "No error" is two statuses, and the list of traces filters by one.
  const others = series("Without error", seriesPaint(0), (of) => of.count - of.errors, {
    isSeparable: false,
  });
  return {
    calls: [errors, others],
    errors: [errors],
    latency: PERCENTILES.map((percentile, position) =>
      series(percentile, seriesPaint(position), (of) => of.latency?.[percentile] ?? null),
    ),
    tokens: [
      series("Input", seriesPaint(2), (of) => knownTokens(of, "input")),
      series("Output", seriesPaint(1), (of) => knownTokens(of, "output")),
    ],
    cost: [series("Cost", seriesPaint(0), (of) => of.cost)],
  };
}

function groupParts(groups: readonly ShownGroup[], { split, percentile }: ChartOptions): Parts {
  const series = (figure: Figure): readonly PlannedSeries[] =>
    groups.map(({ id, label, paint, buckets, key }) => ({
      id,
      label,
      paint,
      values: buckets.map(figure),
      filters: split === null || key === undefined ? {} : { [split]: key },
      isSeparable: key !== undefined,
    }));
  return {
    calls: series((of) => of.count),
    errors: series((of) => of.errors),
    latency: series((of) => of.latency?.[percentile] ?? null),
    tokens: series((of) => knownTokens(of, "total")),
    cost: series((of) => of.cost),
  };
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The ticks of a chart's value axis, round in its unit. */
export function chartTicks({ name, kind, series }: ChartPlan): ValueTicks {
  const values = series.map((each) => each.values);
  const heights =
    kind === "bars" ? (values[0] ?? []).map((_, at) => sumAt(values, at)) : values.flat();
  const highest = Math.max(0, ...heights.map((height) => height ?? 0));
  if (name === "score") {
    const lowest = Math.min(0, ...heights.map((height) => height ?? 0));
    return signedTicks(lowest, highest);
  }
  if (name === "cost") return valueTicks(highest, { unit: highest > 0 ? 1 : 0.01 });
  if (name !== "latency") return valueTicks(highest, { leastStep: 1 });
  const unit = [DAY, HOUR, MINUTE].find((each) => highest > 2 * each) ?? 1;
  return valueTicks(highest, { unit });
}

/**
 * The search of the list of traces that shows exactly the traces behind a point: those of its bucket
 * and series; without a series, all that the chart counts in the bucket.
 */
export function tracesBehind(
  chart: ChartPlan,
  buckets: TimeBuckets,
  index: number,
  series: number | null,
): TraceFilters {
  const { from, to } = bucketSpan(buckets, index);
  const chosen = series === null ? undefined : chart.series[series];
  const value = chosen?.values[index] ?? null;
  return {
    ...(chart.name === "errors" && { status: "ERROR" }),
    ...chosen?.filters,
    ...(chart.name === "latency" && value !== null && { min_latency: String(value) }),
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
  };
}
