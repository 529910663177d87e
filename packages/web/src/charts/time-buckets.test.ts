import fc from "fast-check";
import { expect, test } from "vitest";
import {
  bucketAt,
  bucketOf,
  bucketSpan,
  formatTimeSpan,
  selectBuckets,
  spanOf,
  zoomIn,
  zoomOut,
} from "./time-buckets.ts";

const HOUR = 3_600_000;
const buckets = { from: 10 * HOUR, width: HOUR, count: 8 };

test("a drag selects every bucket that it touches, in either direction", () => {
  const expected = { from: 12 * HOUR, to: 15 * HOUR };
  expect(selectBuckets(buckets, 2.9 / 8, 4.1 / 8)).toEqual(expected);
  expect(selectBuckets(buckets, 4.1 / 8, 2.9 / 8)).toEqual(expected);
});

test("a drag past the edges ends with the first and the last bucket", () => {
  expect(selectBuckets(buckets, -0.4, 1.7)).toEqual(spanOf(buckets));
});

test("a selection is whole buckets, at least one, and within the chart", () => {
  const places = fc.double({ min: -1, max: 2, noNaN: true });
  const anyBuckets = fc.record({
    from: fc.integer({ min: 0, max: 2e12 }),
    width: fc.integer({ min: 1000, max: 1e9 }),
    count: fc.integer({ min: 1, max: 2000 }),
  });
  fc.assert(
    fc.property(anyBuckets, places, places, (any, start, end) => {
      const { from, to } = selectBuckets(any, start, end);
      const whole = spanOf(any);
      expect((from - any.from) % any.width).toBe(0);
      expect((to - any.from) % any.width).toBe(0);
      expect(to - from).toBeGreaterThanOrEqual(any.width);
      expect(from).toBeGreaterThanOrEqual(whole.from);
      expect(to).toBeLessThanOrEqual(whole.to);
    }),
  );
});

test("a time is found in the bucket that contains it", () => {
  const { from, to } = bucketSpan(buckets, 3);
  expect(bucketOf(buckets, from)).toBe(3);
  expect(bucketOf(buckets, to - 1)).toBe(3);
  expect(bucketOf(buckets, to)).toBe(4);
  expect(bucketOf(buckets, spanOf(buckets).to)).toBeNull();
  expect(bucketOf(buckets, spanOf(buckets).from - 1)).toBeNull();
});

test("a position is found in its bucket", () => {
  expect(bucketAt(buckets, 0)).toBe(0);
  expect(bucketAt(buckets, 0.5)).toBe(4);
  expect(bucketAt(buckets, 1)).toBe(7);
});

test("zooming in halves the time around a bucket and keeps that bucket", () => {
  expect(zoomIn(buckets, 4)).toEqual({ from: 12 * HOUR, to: 16 * HOUR });
  expect(zoomIn(buckets, 0)).toEqual({ from: 10 * HOUR, to: 14 * HOUR });
  expect(zoomIn(buckets, 7)).toEqual({ from: 14 * HOUR, to: 18 * HOUR });
  expect(zoomIn({ ...buckets, count: 1 }, 0)).toEqual({ from: 10 * HOUR, to: 11 * HOUR });
});

test("zooming out doubles the time around its middle", () => {
  const span = { from: 10 * HOUR, to: 12 * HOUR };
  expect(zoomOut(span, 100 * HOUR)).toEqual({ from: 9 * HOUR, to: 13 * HOUR });
});

test("zooming out does not extend into the future", () => {
  const span = { from: 10 * HOUR, to: 12 * HOUR };
  expect(zoomOut(span, 12.5 * HOUR)).toEqual({ from: 8.5 * HOUR, to: 12.5 * HOUR });
  expect(zoomOut(span, 11 * HOUR)).toEqual({ from: 8 * HOUR, to: 12 * HOUR });
});

test("zooming out stops at 1970", () => {
  expect(zoomOut({ from: HOUR, to: 9 * HOUR }, 100 * HOUR).from).toBe(0);
});

test.each([
  ["2026-11-15T10:00", "2026-11-15T10:15", "15 Nov, 10:00 – 10:15"],
  ["2026-11-15T10:00:05", "2026-11-15T10:00:10", "15 Nov, 10:00:05 – 10:00:10"],
  ["2026-11-14T18:00", "2026-11-15T06:00", "14 Nov, 18:00 – 15 Nov, 06:00"],
  ["2026-11-14T00:00", "2026-11-15T00:00", "14 Nov"],
  ["2026-11-01T00:00", "2026-11-08T00:00", "1 Nov – 7 Nov"],
])("%s to %s", (from, to, words) => {
  expect(formatTimeSpan({ from: Date.parse(from), to: Date.parse(to) })).toBe(words);
});
