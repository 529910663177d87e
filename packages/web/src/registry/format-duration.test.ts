import { describe, expect, it } from "vitest";
import { formatDuration } from "./format-duration.ts";

describe("formatDuration", () => {
  it("tells the two largest units", () => {
    const day = 86_400_000;
    const cases: [number, string][] = [
      [0, "0 s"],
      [-5, "0 s"],
      [59_000, "59 s"],
      [61_000, "1 min 1 s"],
      [3_600_000, "1 h"],
      [3_660_000, "1 h 1 min"],
      [3_601_000, "1 h"],
      [day + 2 * 3_600_000 + 180_000, "1 d 2 h"],
      [400 * day, "400 d"],
    ];
    for (const [milliseconds, text] of cases) expect(formatDuration(milliseconds)).toBe(text);
  });
});
