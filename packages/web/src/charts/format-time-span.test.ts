import { expect, test } from "vitest";
import { formatTimeSpan } from "./format-time-span.ts";

test.each([
  ["2026-11-15T10:00", "2026-11-15T10:15", "15 Nov, 10:00 – 10:15"],
  ["2026-11-15T10:00:05", "2026-11-15T10:00:10", "15 Nov, 10:00:05 – 10:00:10"],
  ["2026-11-14T18:00", "2026-11-15T06:00", "14 Nov, 18:00 – 15 Nov, 06:00"],
  ["2026-11-14T00:00", "2026-11-15T00:00", "14 Nov"],
  ["2026-11-01T00:00", "2026-11-08T00:00", "1 Nov – 7 Nov"],
])("%s to %s", (from, to, words) => {
  expect(formatTimeSpan({ from: Date.parse(from), to: Date.parse(to) })).toBe(words);
});
