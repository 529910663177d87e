import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NOON, spanRecord } from "./span-record.fixture.ts";
import { milliseconds, ownIntervals, placeOn, spanTimes, totalOf } from "./span-times.ts";

it.each([
  ["1970-01-01T00:00:00Z", 0],
  ["1970-01-01T00:00:00.25Z", 250],
  ["1970-01-01T00:00:00.001500000Z", 1.5],
  ["1970-01-01T00:00:01.000000900Z", 1000.0009],
])("%s is %d milliseconds since 1970", (time, expected) => {
  expect(milliseconds(time)).toBeCloseTo(expected, 6);
});

it("distinguishes microseconds of today's times", () => {
  const one = milliseconds("2026-11-15T12:00:00.000001000Z");
  const two = milliseconds("2026-11-15T12:00:00.000002000Z");
  expect(two - one).toBeCloseTo(0.001, 3);
});

it("ends a span at its start where it has not ended, or ended before its start", () => {
  const running = spanRecord({ id: "a", from: 7, metadata: { end_time: null, latency: null } });
  expect(spanTimes(running)).toEqual({ start: NOON + 7, end: NOON + 7 });
});

const anyInterval = fc
  .tuple(fc.nat(100), fc.nat(100))
  .map(([start, length]) => ({ start, end: start + length }));

it("own time is a span's time minus that of its children", () => {
  const children = [
    { start: 40, end: 60 },
    { start: 10, end: 30 },
    { start: 20, end: 45 },
    { start: 90, end: 200 },
  ];
  expect(ownIntervals({ start: 0, end: 100 }, children)).toEqual([
    { start: 0, end: 10 },
    { start: 60, end: 90 },
  ]);
});

it("own time is exactly the time in which no child runs", () => {
  fc.assert(
    fc.property(anyInterval, fc.array(anyInterval), (span, children) => {
      const own = ownIntervals(span, children);
      const isIn = (moment: number) => own.some(({ start, end }) => moment > start && moment < end);
      let length = 0;
      for (let moment = span.start + 0.5; moment < span.end; moment += 1) {
        const isChilds = children.some(({ start, end }) => moment > start && moment < end);
        expect(isIn(moment)).toBe(!isChilds);
        if (!isChilds) length += 1;
      }
      expect(totalOf(own)).toBe(length);
    }),
  );
});

describe("the position of a bar", () => {
  const axis = { start: 100, end: 200 };

  it("is a fraction of the axis, clipped to it", () => {
    expect(placeOn(axis, { start: 125, end: 150 })).toEqual({ left: 0.25, width: 0.25 });
    expect(placeOn(axis, { start: 0, end: 150 })).toEqual({ left: 0, width: 0.5 });
    expect(placeOn(axis, { start: 150, end: 900 })).toEqual({ left: 0.5, width: 0.5 });
  });

  it("is null outside the axis", () => {
    expect(placeOn(axis, { start: 0, end: 99 })).toBeNull();
    expect(placeOn(axis, { start: 201, end: 300 })).toBeNull();
  });

  it("is the whole axis where the axis has no length", () => {
    expect(placeOn({ start: 5, end: 5 }, { start: 5, end: 5 })).toEqual({ left: 0, width: 1 });
  });
});
