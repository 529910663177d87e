import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  costPartOf,
  formatAgo,
  formatBytes,
  formatCompactCount,
  formatCost,
  formatCount,
  formatDuration,
  formatTotalCost,
  partOf,
  plural,
  unpricedText,
} from "./figures.ts";

describe("formatDuration", () => {
  it.each([
    [null, "–"],
    [Number.POSITIVE_INFINITY, "–"],
    [0, "0 µs"],
    [0.0005, "1 µs"],
    [0.9994, "999 µs"],
    [0.9996, "1.00 ms"],
    [9.994, "9.99 ms"],
    [9.996, "10.0 ms"],
    [99.94, "99.9 ms"],
    [99.96, "100 ms"],
    [999.4, "999 ms"],
    [999.6, "1.00 s"],
    [1934, "1.93 s"],
    [12_340, "12.3 s"],
    [59_940, "59.9 s"],
    [59_960, "1 min"],
    [61_000, "1 min 1 s"],
    [600_000, "10 min"],
    [3_599_400, "59 min 59 s"],
    [3_599_600, "1 h"],
    [3_660_000, "1 h 1 min"],
    [86_369_000, "23 h 59 min"],
    [86_371_000, "1 d"],
    [100 * 3_600_000, "4 d 4 h"],
    [1000 * 86_400_000 - 1_900_000, "999 d 23 h"],
    [1000 * 86_400_000 - 1_700_000, "1,000 d"],
    [56 * 365.25 * 86_400_000, "20,454 d"],
  ])("%s ms is %s", (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });
});

describe("formatCost", () => {
  it.each([
    [null, "–"],
    [0, "$0"],
    [0.00000099, "<$0.000001"],
    [0.000001, "$0.0000010"],
    [0.000482, "$0.00048"],
    [0.0124, "$0.012"],
    [0.994, "$0.99"],
    [0.995, "$1.00"],
    [12.345, "$12.35"],
    [1234.5, "$1,234.50"],
    [99_999.9, "$99,999.90"],
    [100_000.4, "$100,000"],
  ])("%s dollars is %s", (dollars, text) => {
    expect(formatCost(dollars)).toBe(text);
  });
});

describe("counts", () => {
  it.each([
    [null, "–", "–"],
    [0, "0", "0"],
    [9_999, "9,999", "9,999"],
    [10_000, "10,000", "10K"],
    [12_345, "12,345", "12.3K"],
    [-12_345, "-12,345", "-12.3K"],
    [4_560_000, "4,560,000", "4.6M"],
  ])("%s is %s, or %s in a narrow column", (count, whole, compact) => {
    expect(formatCount(count)).toBe(whole);
    expect(formatCompactCount(count)).toBe(compact);
  });

  it.each([
    [null, "–"],
    [0, "0 spans"],
    [1, "1 span"],
    [12_345, "12,345 spans"],
  ])("plural of %s is %s", (count, text) => {
    expect(plural(count, "span")).toBe(text);
  });
});

describe("what is written without the browser's formats", () => {
  const written = (options: Intl.NumberFormatOptions, value: number) =>
    new Intl.NumberFormat("en", options).format(value);

  it("is what they write, for any count", () => {
    // Around powers of ten, where digits are rounded up to another unit.
    const around = fc
      .tuple(fc.integer({ min: 0, max: 15 }), fc.integer({ min: -600, max: 600 }))
      .map(([power, more]) => 10 ** power + Math.trunc((more * 10 ** power) / 10_000));
    const count = fc.oneof(around, fc.maxSafeInteger(), fc.integer(), fc.double());
    fc.assert(
      fc.property(count, (one) => {
        expect(formatCount(one)).toBe(written({}, one));
        const options = Math.abs(one) < 10_000 ? {} : ({ notation: "compact" } as const);
        expect(formatCompactCount(one)).toBe(
          written({ ...options, maximumFractionDigits: options.notation ? 1 : 3 }, one),
        );
      }),
      { numRuns: 3_000 },
    );
  });

  it("is what they write, for any cost below a dollar, halves included", () => {
    const half = fc
      .tuple(fc.integer({ min: 10, max: 98 }), fc.integer({ min: 3, max: 8 }))
      .map(([digits, places]) => Number(`${digits}5e-${places}`));
    const cost = fc.oneof(half, fc.double({ min: 0.000001, max: 0.994, noNaN: true }));
    fc.assert(
      fc.property(
        cost.filter((one) => one >= 0.000001 && one < 0.995),
        (one) => {
          const options = { minimumSignificantDigits: 2, maximumSignificantDigits: 2 };
          expect(formatCost(one)).toBe(`$${written(options, one)}`);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

describe("formatBytes", () => {
  it.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1.0 KB"],
    [9.94 * 1024, "9.9 KB"],
    [9.96 * 1024, "10 KB"],
    [194_519, "190 KB"],
    [1023.4 * 1024, "1023 KB"],
    [1023.6 * 1024, "1.0 MB"],
    [3 * 1024 ** 3, "3.0 GB"],
    [5000 * 1024 ** 3, "5000 GB"],
  ])("%s bytes is %s", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

describe("formatAgo", () => {
  const NOW = Date.parse("2026-11-15T10:00:00Z");
  it.each([
    ["2026-11-15T10:00:00Z", "now"],
    ["2026-11-15T09:59:59Z", "1 s ago"],
    ["2026-11-15T09:59:01Z", "59 s ago"],
    ["2026-11-15T09:59:00Z", "1 min ago"],
    ["2026-11-15T09:00:01Z", "59 min ago"],
    ["2026-11-15T09:00:00Z", "1 h ago"],
    ["2026-11-14T10:00:01Z", "23 h ago"],
    ["2026-11-14T10:00:00Z", "1 d ago"],
    ["2025-11-15T10:00:00Z", "365 d ago"],
    ["2026-11-15T10:00:59Z", "now"],
    ["2026-11-15T10:01:00Z", "in 1 min"],
    ["nonsense", "–"],
  ])("%s is %s", (time, text) => {
    expect(formatAgo(time, NOW)).toBe(text);
  });
});

it.each([
  [0, 0, null],
  [5, 5, "5 of 7 calls"],
  [7, 7, null],
  [6, 5, "5 of 7 calls, 1 in part"],
  [7, 6, "6 of 7 calls, 1 in part"],
  [2_000, 0, "0 of 7 calls, 2,000 in part"],
])("a cost of %i of 7 calls, %i of them in full, is of %s", (known, priced, text) => {
  expect(costPartOf({ all: 7, known, priced }, "calls")).toBe(text);
});

it.each([
  [0.0124, 0, "$0.012", null],
  [0.0124, 1, "≥ $0.012", "1 call without a price"],
  [12.3456, 1_200, "≥ $12.35", "1,200 calls without a price"],
  [0, 2, "≥ $0", "2 calls without a price"],
  [0.0000001, 2, "≥ $0", "2 calls without a price"],
  [0.0000001, 0, "<$0.000001", null],
  [null, 2, "–", "2 calls without a price"],
])("%d dollars and %i calls without a price are %s", (cost, unpriced, text, note) => {
  expect(formatTotalCost({ cost, unpriced_calls: unpriced })).toBe(text);
  expect(unpricedText({ unpriced_calls: unpriced })).toBe(note);
});

it.each([
  [0, 7, null],
  [1, 7, "1 of 7 calls"],
  [6, 7, "6 of 7 calls"],
  [7, 7, null],
  [0, 0, null],
  [1_200, 3_400, "1,200 of 3,400 calls"],
])("a sum of %i of %i calls is called %s", (known, all, text) => {
  expect(partOf(known, all, "calls")).toBe(text);
});
