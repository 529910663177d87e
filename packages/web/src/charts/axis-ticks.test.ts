import { formatDuration } from "@agate/protocol/format";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { tickText } from "../format/tick-text.ts";
import { clockTicks, elapsedTicks, signedTicks, valueTicks } from "./axis-ticks.ts";

test.each([
  [37, [0, 10, 20, 30, 40]],
  [4, [0, 1, 2, 3, 4]],
  [0.0021, [0, 0.0005, 0.001, 0.0015, 0.002, 0.0025]],
  [1_950, [0, 500, 1000, 1500, 2000]],
])("ticks up to %d are round", (highest, ticks) => {
  expect(valueTicks(highest)).toEqual(ticks);
});

test("ticks of counts are whole numbers", () => {
  expect(valueTicks(1, { leastStep: 1 })).toEqual([0, 1]);
  expect(valueTicks(9, { leastStep: 1 })).toEqual([0, 2, 4, 6, 8, 10]);
});

test("minutes are round in minutes", () => {
  expect(valueTicks(7 * 60_000, { unit: 60_000 })).toEqual([0, 2, 4, 6, 8].map((n) => n * 60_000));
});

test("values below 0 have ticks on both sides of it", () => {
  expect(signedTicks(-0.4, 0.9)).toEqual([-0.5, 0, 0.5, 1]);
  expect(signedTicks(-3, -1)).toEqual([-3, -2, -1, 0]);
  expect(signedTicks(0, 4)).toEqual(valueTicks(4));
  const number = fc
    .double({ min: -1e12, max: 1e12, noNaN: true })
    .filter((value) => Math.abs(value) > 1e-9);
  fc.assert(
    fc.property(number, number, (one, other) => {
      const [lowest, highest] = [Math.min(one, other), Math.max(one, other)];
      const ticks = signedTicks(lowest, highest);
      const slack = 1e-6 * (Math.abs(lowest) + Math.abs(highest));
      expect(ticks[0]).toBeLessThanOrEqual(Math.min(0, lowest) + slack);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(Math.max(0, highest) - slack);
      expect(ticks).toContain(0);
      expect(ticks.length).toBeLessThanOrEqual(8);
    }),
  );
});

test("an empty chart has an axis", () => {
  expect(valueTicks(0, { leastStep: 1 })).toEqual([0, 1]);
});

test("at most seven ticks rise from 0 to at least the highest value", () => {
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

const local = (text: string) => new Date(text).getTime();
const labels = (from: string, to: string, most: number) =>
  clockTicks({ from: local(from), to: local(to) }, most).map(({ label }) => label);

test("hours are round, and midnight is labelled with its date", () => {
  expect(labels("2026-11-14T16:00", "2026-11-15T10:00", 6)).toEqual([
    "18:00",
    "21:00",
    "15 Nov",
    "03:00",
    "06:00",
    "09:00",
  ]);
});

test("minutes and seconds", () => {
  expect(labels("2026-11-15T10:03", "2026-11-15T10:33", 6)).toEqual([
    "10:05",
    "10:10",
    "10:15",
    "10:20",
    "10:25",
    "10:30",
  ]);
  expect(labels("2026-11-15T10:00:10", "2026-11-15T10:00:40", 3)).toEqual(["10:00:15", "10:00:30"]);
});

test("days of a month", () => {
  expect(labels("2026-11-01T00:00", "2026-11-30T00:00", 5)).toEqual([
    "1 Nov",
    "8 Nov",
    "15 Nov",
    "22 Nov",
    "29 Nov",
  ]);
});

test("clock ticks lie in the span, rise, and are at most one more than asked for", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2e12 }),
      fc.integer({ min: 1000, max: 4e10 }),
      fc.integer({ min: 2, max: 15 }),
      (from, length, most) => {
        const ticks = clockTicks({ from, to: from + length }, most);
        expect(ticks.length).toBeLessThanOrEqual(most + 1);
        for (const [index, { time }] of ticks.entries()) {
          expect(time).toBeGreaterThanOrEqual(from);
          expect(time).toBeLessThan(from + length);
          if (index > 0) expect(time).toBeGreaterThan(ticks[index - 1]?.time ?? 0);
        }
      },
    ),
  );
});

describe("ticks of elapsed time", () => {
  it("are at round times since the trace began", () => {
    const ticks = elapsedTicks({ from: 1000, to: 1090 }, 1000, 4);
    expect(ticks.map(({ at }) => at)).toEqual([0, 50]);
    expect(elapsedTicks({ from: 1034, to: 1058 }, 1000, 4).map(({ at }) => at)).toEqual([40, 50]);
  });

  it("are at whole minutes, hours and days where it is long", () => {
    const labelsUpTo = (length: number) =>
      elapsedTicks({ from: 0, to: length }, 0, 3).map(({ at }) => tickText(formatDuration(at)));
    expect(labelsUpTo(200_000).slice(1)).toEqual(["2 min"]);
    expect(labelsUpTo(80_000).slice(1)).toEqual(["30 s", "1 min"]);
    expect(labelsUpTo(30 * 3_600_000).slice(1)).toEqual(["12 h", "1 d"]);
    expect(labelsUpTo(50 * 86_400_000).slice(1)).toEqual(["20 d", "40 d"]);
  });

  it("are few, and on the axis, for any length", () => {
    const anyAxis = fc.record({
      start: fc.double({ min: 0, max: 1e12, noNaN: true }),
      length: fc.double({ min: 0, max: 1e10, noNaN: true }),
    });
    fc.assert(
      fc.property(anyAxis, ({ start, length }) => {
        const ticks = elapsedTicks({ from: start, to: start + length }, start, 4);
        expect(ticks.length).toBeLessThanOrEqual(6);
        for (const { place } of ticks) {
          expect(place).toBeGreaterThanOrEqual(0);
          expect(place).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
