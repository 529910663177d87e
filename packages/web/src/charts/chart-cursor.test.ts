import { expect, test } from "vitest";
import { hasValue, moveByKey, pointAt, separableSeries } from "./chart-cursor.ts";
import { seriesPaint } from "./chart-series.ts";

const buckets = { from: 0, width: 1000, count: 4 };
const series = [
  { id: "a", label: "a", values: [1, 0, null, 3], paint: seriesPaint(0), isSeparable: false },
  { id: "b", label: "b", values: [2, 0, null, 9], paint: seriesPaint(1), isSeparable: true },
];
const bars = { kind: "bars", series } as const;
const lines = { kind: "lines", series } as const;

test("the pointer selects the bar under it, and above all bars the whole bucket", () => {
  expect(pointAt(bars, buckets, { across: 0.1, value: 0.5 })).toEqual({ index: 0, series: 0 });
  expect(pointAt(bars, buckets, { across: 0.1, value: 2.5 })).toEqual({ index: 0, series: 1 });
  expect(pointAt(bars, buckets, { across: 0.1, value: 3.5 })).toEqual({ index: 0, series: null });
});

test("the pointer selects the nearest line", () => {
  expect(pointAt(lines, buckets, { across: 0.99, value: 8 })).toEqual({ index: 3, series: 1 });
  expect(pointAt(lines, buckets, { across: 0.6, value: 8 })).toEqual({ index: 2, series: null });
});

test("a series without a value in the bucket is not selected", () => {
  expect(separableSeries(bars, 0, 1)).toBe(1);
  expect(separableSeries(bars, 1, 1)).toBeNull();
  expect(separableSeries(bars, 2, 1)).toBeNull();
});

test("a series without a filter of its own selects the whole bucket", () => {
  expect(separableSeries(bars, 0, 0)).toBeNull();
});

test("an empty bucket and an unknown one have no value", () => {
  expect([0, 1, 2, 3].map((index) => hasValue(bars, index))).toEqual([true, false, false, true]);
});

test("a line has a point at 0, which a bar has not", () => {
  expect([0, 1, 2, 3].map((index) => hasValue(lines, index))).toEqual([true, true, false, true]);
  expect(separableSeries(lines, 1, 1)).toBe(1);
  expect(separableSeries(lines, 2, 1)).toBeNull();
});

test("arrow keys move from bucket to bucket and stop at the ends", () => {
  const at = { index: 1, series: null };
  expect(moveByKey("ArrowLeft", bars, buckets, at)).toEqual({ index: 0, series: null });
  expect(moveByKey("ArrowRight", bars, buckets, at)).toEqual({ index: 2, series: null });
  expect(moveByKey("PageUp", bars, buckets, at)).toEqual({ index: 3, series: null });
  expect(moveByKey("Home", bars, buckets, at)).toEqual({ index: 0, series: null });
  expect(moveByKey("End", bars, buckets, at)).toEqual({ index: 3, series: null });
});

test("up and down cycle through the series and all of them", () => {
  const press = (key: string, times: number) => {
    let series: number | null = null;
    return Array.from({ length: times }, () => {
      series = moveByKey(key, bars, buckets, { index: 0, series })?.series ?? null;
      return series;
    });
  };
  expect(press("ArrowUp", 3)).toEqual([0, 1, null]);
  expect(press("ArrowDown", 3)).toEqual([1, 0, null]);
});

test("without a current bucket the keys start at the last", () => {
  const nowhere = { index: null, series: 1 };
  expect(moveByKey("ArrowLeft", lines, buckets, nowhere)).toEqual({ index: 3, series: 1 });
  expect(moveByKey("Home", lines, buckets, nowhere)).toEqual({ index: 0, series: 1 });
});

test("other keys are ignored", () => {
  for (const key of ["a", "Tab", "toString"]) {
    expect(moveByKey(key, bars, buckets, { index: 0, series: null })).toBeUndefined();
  }
});
