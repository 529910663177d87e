import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  boundsOf,
  fromLocalInput,
  parseTimeRange,
  type TimeRange,
  timeRangeLabel,
  timeRangeSearch,
  toLocalInput,
  withTimeRange,
} from "./time-range.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");

describe("a time range in the address", () => {
  it.each([
    ["15m", "2026-11-15T11:45:00.000Z"],
    ["1h", "2026-11-15T11:00:00.000Z"],
    ["7d", "2026-11-08T12:00:00.000Z"],
    ["99999d", "1970-01-01T00:00:00.000Z"],
  ])("%s starts at %s and has no end", (range, from) => {
    expect(boundsOf(parseTimeRange({ range }), NOW)).toEqual({ from });
  });

  it("has no bounds for all time", () => {
    expect(boundsOf(parseTimeRange({ range: "all" }), NOW)).toEqual({});
  });

  it.each(["", "0h", "h", "1w", "-5m", "1.5h", "99999999d", "toString"])(
    "takes the fallback for %j",
    (range) => {
      expect(parseTimeRange({ range }, "7d")).toEqual({ kind: "last", span: "7d" });
    },
  );

  it("prefers fixed ends to a span, and omits an open end", () => {
    const range = parseTimeRange({ range: "1h", from: "2026-11-15", to: "" });
    expect(range).toEqual({ kind: "fixed", from: "2026-11-15" });
    expect(boundsOf(range, NOW)).toEqual({ from: "2026-11-15" });
  });

  it("leaves an invalid end for the platform to reject", () => {
    expect(boundsOf(parseTimeRange({ from: "yesterday" }), NOW)).toEqual({ from: "yesterday" });
  });

  it("round-trips through the address", () => {
    const time = fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
    const range: fc.Arbitrary<TimeRange> = fc.oneof(
      fc.constantFrom("15m", "1h", "90s", "30d", "all").map((span) => ({
        kind: "last" as const,
        span,
      })),
      fc.record({ kind: fc.constant("fixed" as const), from: time, to: time }),
      fc.record({ kind: fc.constant("fixed" as const), to: time }),
    );
    fc.assert(
      fc.property(range, (given) => {
        expect(parseTimeRange(timeRangeSearch(given))).toEqual(given);
      }),
    );
  });

  it("replaces only the range of an address", () => {
    const before = { application: "shop", from: "2026-11-14", to: "2026-11-15" };
    expect(withTimeRange(before, { kind: "last", span: "1h" })).toEqual({
      application: "shop",
      range: "1h",
    });
  });
});

describe("a time range in words", () => {
  it.each([
    [{ range: "1h" }, "Last hour"],
    [{ range: "15m" }, "Last 15 minutes"],
    [{ range: "30d" }, "Last 30 days"],
    [{ range: "all" }, "All time"],
    [{ from: "2026-11-15T10:00:00" }, "Since 15 Nov 2026, 10:00"],
    [{ to: "2026-11-15T10:00:00" }, "Until 15 Nov 2026, 10:00"],
    [{ from: "2026-11-15T10:00:00", to: "2026-11-15T11:30:00" }, "15 Nov 2026, 10:00 – 11:30"],
    [
      { from: "2026-11-14T10:00:00", to: "2026-11-15T11:30:00" },
      "14 Nov 2026, 10:00 – 15 Nov 2026, 11:30",
    ],
    [{ from: "soon" }, "Since soon"],
  ])("%j is %j", (search, label) => {
    expect(timeRangeLabel(parseTimeRange(search))).toBe(label);
  });
});

describe("a time in an input", () => {
  it("is local, to the second, and round-trips", () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date("1970-01-02"),
          max: new Date("2254-12-30"),
          noInvalidDate: true,
        }),
        (date) => {
          const whole = new Date(Math.floor(date.getTime() / 1000) * 1000).toISOString();
          const shown = toLocalInput(whole);
          // An hour that summer time repeats has two moments for one text.
          expect(toLocalInput(fromLocalInput(shown))).toBe(shown);
        },
      ),
    );
    expect(fromLocalInput(toLocalInput("2026-11-15T10:00:00.000Z"))).toBe(
      "2026-11-15T10:00:00.000Z",
    );
  });

  it("is empty for an invalid time", () => {
    expect([toLocalInput(undefined), toLocalInput("soon"), fromLocalInput("")]).toEqual([
      "",
      "",
      undefined,
    ]);
  });
});
