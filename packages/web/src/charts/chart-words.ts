import { type ChartSeries, sumAt } from "./chart-series.ts";
import { bucketSpan, formatTimeSpan, type TimeBuckets } from "./time-buckets.ts";

export interface WordedChart {
  readonly kind: "bars" | "lines";
  readonly series: readonly ChartSeries[];
  readonly buckets: TimeBuckets;
  readonly format: (value: number | null) => string;
  /** What the values of a bucket are of, where that is not all: "5 of 7 calls". Of one series, or of all. */
  readonly part?: ((index: number, chosen: number | null) => string | null) | undefined;
}

/** A bucket for screen readers: "15 Nov, 10:00 – 10:15: Input 120, Output 30, total 150". */
export function bucketWords(chart: WordedChart, index: number, chosen: number | null): string {
  const { series, buckets, format } = chart;
  const say = ({ label, values }: ChartSeries) =>
    `${label} ${known(format, values[index] ?? null)}`;
  const time = formatTimeSpan(bucketSpan(buckets, index));
  const part = chart.part?.(index, chosen) ?? null;
  const end = part === null ? "" : ` for ${part}`;
  const one = chosen === null ? undefined : series[chosen];
  if (one !== undefined) return `${time}: ${say(one)}${end}`;
  const all = chart.kind === "bars" && series.length > 1;
  const total = all ? [`total ${known(format, sumOfBucket(chart, index))}`] : [];
  return `${time}: ${[...series.map(say), ...total].join(", ")}${end}`;
}

/** A summary of the chart for screen readers. */
export function chartWords(chart: WordedChart): string {
  const { kind, series, buckets, format } = chart;
  const lines =
    kind === "bars"
      ? [{ label: "", values: indexes(buckets).map((index) => sumOfBucket(chart, index)) }]
      : series;
  const sentences = lines.flatMap(({ label, values }) => {
    const highest = Math.max(...values.map((value) => value ?? Number.NEGATIVE_INFINITY));
    if (highest === Number.NEGATIVE_INFINITY || (kind === "bars" && highest === 0)) return [];
    const when = formatTimeSpan(bucketSpan(buckets, values.indexOf(highest)));
    return [`${label === "" ? "Highest" : `${label} highest`}: ${format(highest)}, ${when}.`];
  });
  return sentences.length === 0 ? "No data in this period." : sentences.join(" ");
}

function sumOfBucket({ series }: WordedChart, index: number): number | null {
  return sumAt(
    series.map(({ values }) => values),
    index,
  );
}

function indexes({ count }: TimeBuckets): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function known(format: WordedChart["format"], value: number | null): string {
  return value === null ? "unknown" : format(value);
}
