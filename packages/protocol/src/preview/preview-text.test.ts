import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText } from "./cut-text.ts";
import { PREVIEW_CHARACTERS, previewText } from "./preview-text.ts";

describe("a preview", () => {
  it.each([
    [null, ""],
    ["What is\n  agate?", "What is agate?"],
    ["\n  What?  ", "What?"],
    [{ question: "What is agate?" }, "What is agate?"],
    [{ text: "A stone.", limit: 3 }, "text: A stone., limit: 3"],
    [{ data: { answer: "A stone." } }, "A stone."],
    [[1, 2, { a: 3, b: null }], "1, 2, 3"],
    [{ done: false }, "false"],
    [{}, ""],
    [
      [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello" },
      ],
      "Hello",
    ],
    [
      {
        model: "m",
        messages: [
          { role: "user", content: [{ type: "text", text: "One" }, { type: "image" }] },
          { role: "assistant", content: null },
        ],
      },
      "One",
    ],
    [[{ role: "user", parts: [{ type: "text", content: "Part" }] }], "Part"],
    [{ __proto__: null, toString: "own" }, "own"],
  ])("of %j is %j", (value, shown) => {
    expect(previewText(value)).toBe(shown);
  });

  it("is one short line of whole characters for any JSON", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: "grapheme" }),
        fc.integer({ min: 1, max: 400 }),
        (value, most) => {
          const shown = previewText(value, most);
          expect(shown.length).toBeLessThanOrEqual(most);
          expect(shown).not.toMatch(/[\n\r\t]/);
          expect(shown.isWellFormed()).toBe(true);
        },
      ),
    );
  });

  it("reads little of a value that is huge or deep", () => {
    let deep: unknown = "bottom";
    let messages: unknown = "bottom";
    for (let n = 0; n < 100_000; n++) {
      deep = { below: deep, beside: 1 };
      messages = { messages: [{ role: "user", content: messages }] };
    }
    expect(previewText(deep)).toContain("beside: 1");
    expect(previewText(messages)).toBe("…");
    expect(previewText("x".repeat(50_000_000))).toBe("x".repeat(PREVIEW_CHARACTERS));
  });
});

describe("a cut text", () => {
  const GEM = "\u{1F48E}";
  const FAMILY = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}";
  const ACCENT = "e\u0301";

  it.each([GEM, FAMILY, ACCENT, "\u{1F1E8}\u{1F1ED}"])("holds no part of %s", (character) => {
    for (let before = 290; before <= 301; before++) {
      const text = "x".repeat(before) + character + "y".repeat(20);
      const whole = before + character.length <= 300;
      const wanted = whole ? text.slice(0, 300) : "x".repeat(Math.min(before, 300));
      expect(cutText(text, 300)).toBe(wanted);
    }
  });

  it("is cut between the code points of a character that is too long", () => {
    expect(cutText(`e${"\u0301".repeat(1_000)}`, 300)).toBe(`e${"\u0301".repeat(299)}`);
    const joined = Array.from({ length: 400 }, () => GEM).join("\u{200D}");
    expect(cutText(joined, 300).isWellFormed()).toBe(true);
    expect(cutText(joined, 300).length).toBeGreaterThanOrEqual(299);
  });

  it("is the same where it fits", () => {
    expect(cutText("x".repeat(300), 300)).toBe("x".repeat(300));
  });
});
