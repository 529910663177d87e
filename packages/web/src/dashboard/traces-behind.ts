import { bucketSpan, type TimeBuckets } from "../charts/time-buckets.ts";
import type { ChartPlan, TraceFilters } from "./chart-plan.ts";

/**
 * The search of the list of traces that has exactly what a point of a chart stands for: its bucket,
 * and what its series has in common. Without a series: all of the bucket that the chart counts.
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
