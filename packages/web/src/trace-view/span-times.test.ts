import { expect, it } from "vitest";
import { NOON, spanRecord } from "./span-record.fixture.ts";
import { milliseconds, spanTimes } from "./span-times.ts";

it.each([
  ["1970-01-01T00:00:00Z", 0],
  ["1970-01-01T00:00:00.25Z", 250],
  ["1970-01-01T00:00:00.001500000Z", 1.5],
  ["1970-01-01T00:00:01.000000900Z", 1000.0009],
])("%s is %d milliseconds since 1970", (time, expected) => {
  expect(milliseconds(time)).toBeCloseTo(expected, 6);
});

it("keeps microseconds apart today", () => {
  const one = milliseconds("2026-11-15T12:00:00.000001000Z");
  const two = milliseconds("2026-11-15T12:00:00.000002000Z");
  expect(two - one).toBeCloseTo(0.001, 3);
});

it("ends a span that has not ended, or that ended before it began, where it began", () => {
  const running = spanRecord({ id: "a", from: 7, metadata: { end_time: null, latency: null } });
  expect(spanTimes(running)).toEqual({ start: NOON + 7, end: NOON + 7 });
});
