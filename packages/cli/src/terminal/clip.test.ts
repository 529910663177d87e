import { expect, it } from "vitest";
import { clippedLine } from "./clip.ts";
import { textWidth } from "./text-width.ts";

it.each([
  ["a".repeat(199), "a".repeat(199)],
  ["a".repeat(200), "a".repeat(200)],
  ["a".repeat(201), `${"a".repeat(199)}…`],
  ["a".repeat(4000), `${"a".repeat(199)}…`],
  ["a".repeat(4001), `${"a".repeat(199)}…`],
  [`${" ".repeat(4000)}a`, "…"],
  [`a${" ".repeat(3998)}b`, "a b"],
  [`a${" ".repeat(4000)}b`, "a …"],
])("keeps at most 200 columns (case %#)", (text, expected) => {
  expect(clippedLine(text, 200)).toBe(expected);
});

it("counts columns, not characters", () => {
  const clipped = clippedLine("漢".repeat(1000), 200);
  expect(textWidth(clipped)).toBeLessThanOrEqual(200);
  expect(clipped.endsWith("…")).toBe(true);
});
