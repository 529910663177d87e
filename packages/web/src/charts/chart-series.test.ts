import { expect, test } from "vitest";
import { lonePoints, nearestSeries, seriesInStack, stackValues, sumAt } from "./chart-series.ts";

const series = [
  [1, null, 0],
  [2, 3, null],
  [4, 5, null],
];

test("series are stacked, and an unknown value has no height", () => {
  expect(stackValues(series)).toEqual([
    { bases: [0, 0, 0], tops: [1, null, 0] },
    { bases: [1, 0, 0], tops: [3, 3, null] },
    { bases: [3, 3, 0], tops: [7, 8, null] },
  ]);
});

test("the series at a height is the one drawn there", () => {
  expect(seriesInStack(series, 0, 0.5)).toBe(0);
  expect(seriesInStack(series, 0, 1)).toBe(1);
  expect(seriesInStack(series, 0, 6.9)).toBe(2);
  expect(seriesInStack(series, 0, 7)).toBeNull();
  expect(seriesInStack(series, 1, 0)).toBe(1);
});

test("the nearest line with a value is found", () => {
  expect(nearestSeries(series, 0, 2.9)).toBe(1);
  expect(nearestSeries(series, 1, 0)).toBe(1);
  expect(nearestSeries([[null], [null]], 0, 0)).toBeNull();
});

test("a sum without known values is unknown", () => {
  expect(sumAt(series, 1)).toBe(8);
  expect(sumAt(series, 2)).toBe(0);
  expect(sumAt([[null], [null]], 0)).toBeNull();
});

test("points between gaps are drawn as points", () => {
  expect(lonePoints([1, null, 2, 3, null, 4])).toEqual([0, 5]);
  expect(lonePoints([7])).toEqual([0]);
});
