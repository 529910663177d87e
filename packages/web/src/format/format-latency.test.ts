import { expect, test } from "vitest";
import { formatLatency } from "./format-latency.ts";

test.each([
  [null, "–"],
  [0, "0 µs"],
  [0.0005, "1 µs"],
  [0.9994, "999 µs"],
  [0.9996, "1.00 ms"],
  [999.6, "1.00 s"],
  [59_960, "1 m 0 s"],
  [3_599_600, "1 h 0 m"],
  [30 * 3_600_000, "30 h 0 m"],
  [100 * 3_600_000, "4 d 4 h"],
  [56 * 365.25 * 86_400_000, "20,454 d"],
])("%s milliseconds are %s", (milliseconds, text) => {
  expect(formatLatency(milliseconds)).toBe(text);
});
