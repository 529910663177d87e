import { type ChartSeries, nearestSeries, seriesInStack } from "./chart-series.ts";
import { bucketAt, type TimeBuckets } from "./time-buckets.ts";

/** Where the reader is, in all charts of the same time at once. */
export interface ChartCursor {
  /** The chart that the reader is in; the others show the same bucket. */
  readonly chart: string;
  /** Start of the bucket: it stays where it is when newer buckets come. */
  readonly time: number;
  readonly series: number | null;
  /** A finger needs a button for what a mouse clicks and a keyboard enters. */
  readonly by: "mouse" | "touch" | "keyboard";
}

/** The values of a chart, and how they are drawn. */
export interface ChartShape {
  readonly kind: "bars" | "lines";
  readonly series: readonly ChartSeries[];
}

/** A place in a chart: 0 to 1 from the left, and a value on its axis. */
export interface ChartPlace {
  readonly across: number;
  readonly value: number;
}

/** A bucket of a chart, and one of its series or all. */
export interface ChartPoint {
  readonly index: number;
  readonly series: number | null;
}

/** What is at a place: the bar that it is in, the line that it is nearest to. */
export function pointAt(
  { kind, series }: ChartShape,
  buckets: TimeBuckets,
  { across, value }: ChartPlace,
): ChartPoint {
  const index = bucketAt(buckets, across);
  const find = kind === "bars" ? seriesInStack : nearestSeries;
  const values = series.map((each) => each.values);
  return { index, series: find(values, index, value) };
}

/** The series that a reader means, if it has anything there of its own; null for all of them. */
export function meantSeries(
  { series }: ChartShape,
  index: number,
  wanted: number | null,
): number | null {
  const meant = wanted === null ? undefined : series[wanted];
  return meant?.isSeparable && (meant.values[index] ?? 0) > 0 ? wanted : null;
}

/** Whether anything is known, and more than 0, in a bucket. */
export function hasSomething({ series }: ChartShape, index: number): boolean {
  return series.some(({ values }) => (values[index] ?? 0) > 0);
}

/**
 * Where a key leads; undefined for one that leads nowhere. Whoever is in no bucket yet begins with
 * the last.
 */
export function moveByKey(
  key: string,
  shape: ChartShape,
  buckets: TimeBuckets,
  { index, series }: { readonly index: number | null; readonly series: number | null },
): ChartPoint | undefined {
  const last = buckets.count - 1;
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    PageDown: -10,
    PageUp: 10,
    Home: -last,
    End: last,
    ArrowUp: 0,
    ArrowDown: 0,
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  if (step === undefined) return undefined;
  if (index === null) return { index: key === "Home" ? 0 : last, series };
  return {
    index: Math.max(0, Math.min(last, index + step)),
    series: key === "ArrowUp" || key === "ArrowDown" ? turn(key, shape, series) : series,
  };
}

/** Up and down through the series, with all of them between the last and the first. */
function turn(key: "ArrowUp" | "ArrowDown", shape: ChartShape, series: number | null) {
  const last = shape.series.length - 1;
  if (key === "ArrowUp") return series === null ? 0 : series < last ? series + 1 : null;
  return series === null ? last : series > 0 ? series - 1 : null;
}
