import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clippedLine, cutText, padText, textWidth } from "./text-width.ts";

describe("the width of a text", () => {
  it.each([
    ["plain", 5],
    ["漢字", 4],
    ["🎉", 2],
    ["👩‍👩‍👧", 2],
    ["e\u0301", 1],
    ["│ █", 3],
    ["", 0],
  ])("of %s is %i", (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it("is never more than asked for after cutting, and the text stays where it fits", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 1, max: 30 }),
        (text, width) => {
          const cut = cutText(text, width);
          expect(textWidth(cut)).toBeLessThanOrEqual(width);
          if (textWidth(text) <= width) expect(cut).toBe(text);
          else expect(cut.endsWith("…")).toBe(true);
        },
      ),
    );
  });

  it("does not read a long text to its end", () => {
    expect(cutText("漢".repeat(10_000_000), 5)).toBe("漢漢…");
  });

  it("counts when padding", () => {
    expect([padText("漢", 4), padText("7", 3, "right")]).toEqual(["漢  ", "  7"]);
  });
});

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
