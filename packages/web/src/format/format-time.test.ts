import { expect, test } from "vitest";
import { formatWhen } from "./format-time.ts";

const NOW = Date.parse("2026-11-15T10:00:00Z");

test.each([
  ["2026-11-15T07:30:00Z", "2 h ago"],
  ["2026-11-08T10:00:01Z", "6 d ago"],
  ["2025-11-15T10:00:00Z", "15 Nov 2025"],
  ["2026-11-16T10:00:00Z", "in 1 d"],
  ["2030-01-02T10:00:00Z", "2 Jan 2030"],
])("%s was %s", (time, text) => {
  expect(formatWhen(time, NOW)).toBe(text);
});

test("From a week on it is the day and time, in the reader's time zone", () => {
  expect(formatWhen("2026-11-08T10:00:00Z", NOW)).toMatch(/^[89] Nov, \d\d:\d\d$/);
});
