import { wordsOf } from "@agate/spans/search";
import fc from "fast-check";
import { expect, it } from "vitest";
import { wordsText } from "./words-text.ts";

it.each([
  [["Order 7-42", "--", "Crème"], " order 7 42  creme "],
  [["", " ", "\0"], ""],
  [["a", "", "B"], " a  b "],
  [[], ""],
])("%j is %j", (texts, words) => {
  expect(wordsText(texts)).toBe(words);
});

it("has every character of ASCII as other texts have it", () => {
  const characters = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  for (const character of characters) {
    const text = `x${character}Y`;
    expect(wordsText([text]), JSON.stringify(character)).toBe(` ${wordsOf(text).join(" ")} `);
  }
});

it("has the words of any texts, with two spaces between texts", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ unit: "binary", maxLength: 40 }),
    fc
      .array(fc.constantFrom("a", "B", "7", " ", "-", "é", "東", "\0", "\ud800", "\u0301"))
      .map((all) => all.join("")),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), (texts) => {
      const words = texts.map(wordsOf).filter((own) => own.length > 0);
      expect(wordsText(texts)).toBe(words.map((own) => ` ${own.join(" ")} `).join(""));
    }),
    { numRuns: 100 },
  );
});
