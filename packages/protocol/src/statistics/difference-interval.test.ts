import { expect, it } from "vitest";
import { differenceInterval, tQuantile } from "./difference-interval.ts";

it.each([
  // From published tables.
  [1, 12.706205],
  [2, 4.302653],
  [3, 3.182446],
  [4, 2.776445],
  [5, 2.570582],
  [6, 2.446912],
  [8, 2.306004],
  [10, 2.228139],
  [20, 2.085963],
  [30, 2.042272],
  [60, 2.000298],
  [120, 1.97993],
  [1e6, 1.959966],
])("has the quantile of Student's t for %d degrees of freedom", (degrees, expected) => {
  expect(Math.abs(tQuantile(degrees) - expected)).toBeLessThan(degrees === 5 ? 4e-4 : 2e-4);
});

it("is the t interval over the cases and two pseudo-cases", () => {
  const differences = [0.5, -0.25, 0, 0, 1];
  // Straight from the textbook, over seven values.
  const values = [...differences, 1, -1];
  const centre = values.reduce((sum, value) => sum + value, 0) / 7;
  const variance = values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / 6;
  const half = 2.446912 * Math.sqrt(variance / 7);
  const interval = differenceInterval(differences);
  expect(interval.low).toBeCloseTo(centre - half, 4);
  expect(interval.high).toBeCloseTo(centre + half, 4);
  expect(interval).toMatchObject({ cases: 5, mean: 0.25 });
  expect(interval.deviation).toBeCloseTo(0.5, 12);
});

it("contains the mean, and has a width, even of equal differences", () => {
  for (const difference of [-1, -0.3, 0, 1]) {
    for (const count of [1, 10, 1000]) {
      const { mean, low, high, deviation } = differenceInterval(Array(count).fill(difference));
      expect(mean).toBeCloseTo(difference, 12);
      expect(low).toBeLessThan(difference);
      expect(high).toBeGreaterThan(difference);
      expect(deviation).toBeCloseTo(0, 6);
    }
  }
});

it("covers everything without a case", () => {
  const { low, high } = differenceInterval([]);
  expect(low).toBeLessThan(-1);
  expect(high).toBeGreaterThan(1);
});
