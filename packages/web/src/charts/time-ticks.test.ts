import fc from "fast-check";
import { expect, test } from "vitest";
import { timeTicks } from "./time-ticks.ts";

const local = (text: string) => new Date(text).getTime();
const labels = (from: string, to: string, most: number) =>
  timeTicks({ from: local(from), to: local(to) }, most).map(({ label }) => label);

test("hours of a day are round, and midnight says which day it is", () => {
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

test("ticks lie inside, rise, and are about as few as asked for", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2e12 }),
      fc.integer({ min: 1000, max: 4e10 }),
      fc.integer({ min: 2, max: 15 }),
      (from, length, most) => {
        const ticks = timeTicks({ from, to: from + length }, most);
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
