import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDateTime, parseDateTime } from "./date-time.ts";

const MICROSECONDS = fc.integer({ min: 0, max: Date.UTC(2254, 11, 31) * 1000 });

describe("parseDateTime", () => {
  it.each([
    ["2026-11-15", "2026-11-15T00:00:00.000Z"],
    ["2026-11-15T10:00Z", "2026-11-15T10:00:00.000Z"],
    ["2026-11-15t10:00:00z", "2026-11-15T10:00:00.000Z"],
    ["2026-11-15T10:00:00.5Z", "2026-11-15T10:00:00.500Z"],
    ["2026-11-15T10:00:00.123456789Z", "2026-11-15T10:00:00.123456Z"],
    ["2026-11-15T10:00:00+01:30", "2026-11-15T08:30:00.000Z"],
    ["2026-11-15T10:00:00 0130", "2026-11-15T08:30:00.000Z"],
    ["2026-11-15T10:00:00-05:00", "2026-11-15T15:00:00.000Z"],
    ["2024-02-29T23:59:59Z", "2024-02-29T23:59:59.000Z"],
  ])("reads %s", (text, expected) => {
    expect(formatDateTime(parseDateTime(text) ?? Number.NaN)).toBe(expected);
  });

  it.each([
    "",
    "now",
    "2026",
    "2026-11",
    "2026-13-01",
    "2025-02-29",
    "2026-11-15 10:00:00Z",
    "2026-11-15T10:00:00",
    "2026-11-15T24:00:00Z",
    "2026-11-15T10:60:00Z",
    "2026-11-15T10:00:00+24:00",
    "2026-11-15T10:00:00.Z",
    "1969-12-31",
    "2255-01-01",
  ])("does not take %j for a time", (text) => {
    expect(parseDateTime(text)).toBeUndefined();
  });

  it("reads back what answers show, to the microsecond", () => {
    fc.assert(
      fc.property(MICROSECONDS, (time) => {
        expect(parseDateTime(formatDateTime(time))).toBe(time);
      }),
    );
  });
});
