import { expect, it } from "vitest";
import { boundedRange, histogramRange } from "./histogram-range.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const ALL = { kind: "last", span: "all" } as const;

it.each([
  ["2026-11-15T11:59:00Z", "15m"],
  ["2026-11-15T11:45:00Z", "1h"],
  ["2026-11-14T13:00:00Z", "24h"],
  ["2026-11-10T12:00:00Z", "7d"],
  ["2026-01-01T00:00:00Z", "30d"],
  [null, "15m"],
])("over all of the time, a page down to %s is shown over %s", (oldest, span) => {
  expect(histogramRange(ALL, oldest, NOW)).toEqual({ kind: "last", span });
});

it("is the range that was chosen, where one was", () => {
  const range = { kind: "fixed", from: "2026-11-01" } as const;
  expect(histogramRange(range, "2026-11-15T11:59:00Z", NOW)).toBe(range);
  expect(boundedRange(range)).toBe(range);
});

it("begins somewhere, for figures", () => {
  expect(boundedRange(ALL)).toEqual({ kind: "last", span: "30d" });
});
