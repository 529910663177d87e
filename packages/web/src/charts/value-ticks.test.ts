import fc from "fast-check";
import { expect, test } from "vitest";
import { valueTicks } from "./value-ticks.ts";

test.each([
  [37, [0, 10, 20, 30, 40]],
  [4, [0, 1, 2, 3, 4]],
  [0.0021, [0, 0.0005, 0.001, 0.0015, 0.002, 0.0025]],
  [1_950, [0, 500, 1000, 1500, 2000]],
])("marks up to %d are round", (highest, ticks) => {
  expect(valueTicks(highest)).toEqual(ticks);
});

test("there are no halves of what is counted", () => {
  expect(valueTicks(1, { leastStep: 1 })).toEqual([0, 1]);
  expect(valueTicks(9, { leastStep: 1 })).toEqual([0, 2, 4, 6, 8, 10]);
});

test("minutes are round in minutes", () => {
  expect(valueTicks(7 * 60_000, { unit: 60_000 })).toEqual([0, 2, 4, 6, 8].map((n) => n * 60_000));
});

test("an empty chart has an axis", () => {
  expect(valueTicks(0, { leastStep: 1 })).toEqual([0, 1]);
});

test("marks rise from 0 to at least the highest value, and are few", () => {
  const options = fc.constantFrom({}, { leastStep: 1 }, { unit: 60_000 });
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1e12, noNaN: true }), options, (highest, how) => {
      const ticks = valueTicks(highest, how);
      expect(ticks[0]).toBe(0);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest * (1 - 1e-6));
      expect(ticks.length).toBeLessThanOrEqual(7);
      expect(ticks.every((tick, index) => index === 0 || tick > (ticks[index - 1] ?? 0))).toBe(
        true,
      );
    }),
  );
});
