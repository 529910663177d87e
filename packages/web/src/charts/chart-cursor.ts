import { type ChartSeries, nearestSeries, seriesInStack } from "./chart-series.ts";
import { bucketAt, type TimeBuckets } from "./time-buckets.ts";

/** The cursor, shared by all charts of the same time range. */
export interface ChartCursor {
  /** The chart under the pointer or focus; the others show the same bucket. */
  readonly chart: string;
  /** The start of the bucket: an index would shift when new buckets arrive. */
  readonly time: number;
  readonly series: number | null;
  /** Touch needs a button to open traces; mouse and keyboard click or press Enter. */
  readonly by: "mouse" | "touch" | "keyboard";
}

/** The values of a chart, and how it draws them. */
export interface ChartShape {
  readonly kind: "bars" | "lines";
  readonly series: readonly ChartSeries[];
}

/** A position in a chart: 0 to 1 from the left, and a value on its axis. */
export interface ChartPlace {
  readonly across: number;
  readonly value: number;
}

/** A bucket, and one of its series; null for all. */
export interface ChartPoint {
  readonly index: number;
  readonly series: number | null;
}

/** The bucket and series at a position: the bar that contains it, or the nearest line. */
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

/** The wanted series if its traces can be listed separately and the bucket has a value; null for all. */
export function separableSeries(
  { kind, series }: ChartShape,
  index: number,
  wanted: number | null,
): number | null {
  const meant = wanted === null ? undefined : series[wanted];
  return meant?.isSeparable && isDrawn(kind, meant.values[index] ?? null) ? wanted : null;
}

/** Whether any series has something to point at in a bucket. */
export function hasValue({ kind, series }: ChartShape, index: number): boolean {
  return series.some(({ values }) => isDrawn(kind, values[index] ?? null));
}

/** A bar of 0 is none; a line has a point at 0, and below it. */
function isDrawn(kind: ChartShape["kind"], value: number | null): boolean {
  return value !== null && (kind === "lines" || value > 0);
}

/**
 * The point that a key moves to; undefined for other keys. Without a current bucket it starts at the
 * last one.
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

/** Cycles through the series, with "all" between the last and the first. */
function turn(key: "ArrowUp" | "ArrowDown", shape: ChartShape, series: number | null) {
  const last = shape.series.length - 1;
  if (key === "ArrowUp") return series === null ? 0 : series < last ? series + 1 : null;
  return series === null ? last : series > 0 ? series - 1 : null;
}
