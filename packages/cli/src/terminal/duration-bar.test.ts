import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { durationBar } from "./duration-bar.ts";

const axis = { start: 0, end: 100 };

describe("a bar", () => {
  it.each([
    [{ start: 0, end: 100 }, "████████"],
    [{ start: 25, end: 75 }, "  ████  "],
    [{ start: 50, end: 100 }, "    ████"],
    [{ start: 0, end: 6.25 }, "▌       "],
    [{ start: 100, end: 100 }, "       █"],
  ])("of %j covers its part of the axis", (interval, bar) => {
    expect(durationBar(interval, axis, 8)).toBe(bar);
  });

  it("is always as wide as asked for and never empty", () => {
    const time = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(time, time, time, time, fc.integer({ min: 1, max: 60 }), (a, b, c, d, width) => {
        const bar = durationBar({ start: a, end: b }, { start: c, end: d }, width);
        expect(bar).toHaveLength(width);
        expect(bar.trim()).not.toBe("");
      }),
    );
  });
});
