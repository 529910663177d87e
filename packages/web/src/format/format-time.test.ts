import { expect, test } from "vitest";
import { formatAgo } from "./format-time.ts";

const NOW = Date.parse("2026-11-15T10:00:00Z");

test.each([
  ["2026-11-15T09:59:59.9Z", "now"],
  ["2026-11-15T09:59:18Z", "42s ago"],
  ["2026-11-15T07:30:00Z", "2h ago"],
  // Clocks of other machines run a little ahead; what is well ahead is not now.
  ["2026-11-15T10:00:30Z", "now"],
  ["2026-11-15T10:05:00Z", "in 5m"],
  ["2026-11-16T10:00:00Z", "in 1d"],
  ["2030-01-02T10:00:00Z", "2 Jan 2030"],
])("%s was %s", (time, text) => {
  expect(formatAgo(time, NOW)).toBe(text);
});
