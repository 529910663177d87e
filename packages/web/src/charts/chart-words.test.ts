import { expect, test } from "vitest";
import { seriesPaint } from "./chart-series.ts";
import { bucketWords, chartWords } from "./chart-words.ts";

const from = new Date("2026-11-15T10:00").getTime();
const chart = {
  kind: "bars",
  series: [
    { id: "in", label: "Input", values: [100, null], paint: seriesPaint(0), isSeparable: true },
    { id: "out", label: "Output", values: [20, null], paint: seriesPaint(1), isSeparable: true },
  ],
  buckets: { from, width: 900_000, count: 2 },
  format: String,
} as const;

test("a bucket is described by its time, its series and their sum", () => {
  expect(bucketWords(chart, 0, null)).toBe(
    "15 Nov, 10:00 – 10:15: Input 100, Output 20, total 120",
  );
});

test("values that are not of everything say what they are of", () => {
  const part = (index: number, chosen: number | null) =>
    index === 0 ? `${chosen ?? "all"} of 7 calls` : null;
  const words = (index: number, chosen: number | null) =>
    bucketWords({ ...chart, part }, index, chosen).split(": ")[1];
  expect(words(0, null)).toBe("Input 100, Output 20, total 120 for all of 7 calls");
  expect(words(0, 1)).toBe("Output 20 for 1 of 7 calls");
  expect(words(1, 1)).toBe("Output unknown");
});

test("a selected series is described alone", () => {
  expect(bucketWords(chart, 0, 1)).toBe("15 Nov, 10:00 – 10:15: Output 20");
});

test("an unknown value is called unknown", () => {
  expect(bucketWords({ ...chart, kind: "lines" }, 1, null)).toBe(
    "15 Nov, 10:15 – 10:30: Input unknown, Output unknown",
  );
});

test("a chart is described by the highest bucket of its bars, or of each line", () => {
  expect(chartWords(chart)).toBe("Highest: 120, 15 Nov, 10:00 – 10:15.");
  expect(chartWords({ ...chart, kind: "lines" })).toBe(
    "Input highest: 100, 15 Nov, 10:00 – 10:15. Output highest: 20, 15 Nov, 10:00 – 10:15.",
  );
  expect(chartWords({ ...chart, series: [] })).toBe("No data in this period.");
  const [line] = chart.series;
  const lines = (values: readonly (number | null)[]) =>
    chartWords({ ...chart, kind: "lines", series: [{ ...line, values }] });
  expect(lines([-2, 0])).toBe("Input highest: 0, 15 Nov, 10:15 – 10:30.");
  expect(lines([null, null])).toBe("No data in this period.");
});
