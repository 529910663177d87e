import { expect, it } from "vitest";
import { boundedRange, histogramTime } from "./histogram-range.ts";

const ALL = { kind: "last", span: "all" } as const;

it.each([
  [ALL, { from: "earliest" }],
  [{ kind: "last", span: "24h" }, { last: 86_400_000 }],
  [{ kind: "fixed", from: "2026-11-01" }, { from: "2026-11-01" }],
  [
    { kind: "fixed", from: "2026-11-01", to: "2026-11-02" },
    { from: "2026-11-01", to: "2026-11-02" },
  ],
  // Without a beginning the list has everything before the end, and so has the histogram.
  [
    { kind: "fixed", to: "2026-11-02" },
    { from: "earliest", to: "2026-11-02" },
  ],
] as const)("%j is counted over %j", (range, time) => {
  expect(histogramTime(range)).toEqual(time);
});

it("begins somewhere, for suggestions", () => {
  expect(boundedRange(ALL)).toEqual({ kind: "last", span: "30d" });
  const range = { kind: "fixed", from: "2026-11-01" } as const;
  expect(boundedRange(range)).toBe(range);
});
