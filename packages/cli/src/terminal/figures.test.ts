import { describe, expect, it } from "vitest";
import {
  formatAgo,
  formatBytes,
  formatCost,
  formatDuration,
  formatTime,
  plural,
} from "./figures.ts";

describe("figures for people", () => {
  it.each([
    [null, "-"],
    [0, "0 µs"],
    [0.5, "500 µs"],
    [7.64, "7.6 ms"],
    [9.96, "10 ms"],
    [999.4, "999 ms"],
    [999.6, "1.00 s"],
    [1240, "1.24 s"],
    [12_340, "12.3 s"],
    [59_990, "1 m 0 s"],
    [3_599_999, "1 h 0 m"],
  ])("a duration of %s ms is %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it.each([
    ["2026-11-15T10:00:00Z", "just now"],
    ["2026-11-15T09:59:15Z", "45 s ago"],
    ["2026-11-15T09:00:01Z", "59 min ago"],
    ["2026-11-14T10:00:00Z", "24 h ago"],
    ["2026-11-12T10:00:00Z", "3 days ago"],
    ["2026-11-15T10:00:30Z", "in 30 s"],
    ["nonsense", "-"],
  ])("%s is %s", (time, text) => {
    expect(formatAgo(time, Date.parse("2026-11-15T10:00:00Z"))).toBe(text);
  });

  it.each([
    [null, "-"],
    [0, "$0"],
    [12.345, "$12.35"],
    [0.0312, "$0.0312"],
    [0.000312, "$0.00031"],
    [0.0000001, "$0.0000001"],
  ])("a cost of %s is %s", (cost, text) => {
    expect(formatCost(cost)).toBe(text);
  });

  it("bytes, times and plurals", () => {
    expect([512, 34_560, 3 * 1024 ** 2].map(formatBytes)).toEqual(["512 B", "33.8 KB", "3.0 MB"]);
    expect(formatTime("2026-11-15T10:03:12.123456Z")).toBe("2026-11-15 10:03:12Z");
    expect([plural(1, "span"), plural(12_345, "span")]).toEqual(["1 span", "12,345 spans"]);
  });
});
