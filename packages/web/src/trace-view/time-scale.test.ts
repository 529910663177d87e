import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatLatency } from "../format/format-latency.ts";
import { tickText } from "../format/tick-text.ts";
import { axisTicks, placeOn } from "./time-scale.ts";

describe("marks on the axis", () => {
  it("are at round times since the trace began", () => {
    const ticks = axisTicks({ start: 1000, end: 1090 }, 1000, 4);
    expect(ticks.map(({ at }) => at)).toEqual([0, 50]);
    expect(axisTicks({ start: 1034, end: 1058 }, 1000, 4).map(({ at }) => at)).toEqual([40, 50]);
  });

  it("are at whole minutes, hours and days where it is long", () => {
    const marks = (length: number) =>
      axisTicks({ start: 0, end: length }, 0, 3).map(({ at }) => tickText(formatLatency(at)));
    expect(marks(200_000).slice(1)).toEqual(["2 m"]);
    expect(marks(80_000).slice(1)).toEqual(["30 s", "1 m"]);
    expect(marks(30 * 3_600_000).slice(1)).toEqual(["12 h", "24 h"]);
    expect(marks(50 * 86_400_000).slice(1)).toEqual(["20 d", "40 d"]);
  });

  it("are few, and on the axis, whatever its length", () => {
    const anyAxis = fc.record({
      start: fc.double({ min: 0, max: 1e12, noNaN: true }),
      length: fc.double({ min: 0, max: 1e10, noNaN: true }),
    });
    fc.assert(
      fc.property(anyAxis, ({ start, length }) => {
        const ticks = axisTicks({ start, end: start + length }, start, 4);
        expect(ticks.length).toBeLessThanOrEqual(6);
        for (const { place } of ticks) {
          expect(place).toBeGreaterThanOrEqual(0);
          expect(place).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

describe("the place of a bar", () => {
  const axis = { start: 100, end: 200 };

  it("is in parts of the axis, cut off at its ends", () => {
    expect(placeOn(axis, { start: 125, end: 150 })).toEqual({ left: 0.25, width: 0.25 });
    expect(placeOn(axis, { start: 0, end: 150 })).toEqual({ left: 0, width: 0.5 });
    expect(placeOn(axis, { start: 150, end: 900 })).toEqual({ left: 0.5, width: 0.5 });
  });

  it("is nowhere outside of it", () => {
    expect(placeOn(axis, { start: 0, end: 99 })).toBeNull();
    expect(placeOn(axis, { start: 201, end: 300 })).toBeNull();
  });

  it("is the whole axis where nothing took any time", () => {
    expect(placeOn({ start: 5, end: 5 }, { start: 5, end: 5 })).toEqual({ left: 0, width: 1 });
  });
});
