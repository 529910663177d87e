import { BORDER, parseSearch, searchableTexts, wordsOf } from "@agate/spans/search";
import fc from "fast-check";
import { expect, it } from "vitest";
import { SpanMatcher } from "./span-matcher.ts";

const matches = (search: string, name: string, content: unknown) =>
  new SpanMatcher(parseSearch(search)).matches(JSON.stringify({ name, content }));

it("finds words, phrases and beginnings in a record in any notation", () => {
  const content = {
    messages: ["Crème BRÛLÉE", "left Köln", 1e23, 0.0000001],
    key: { deep: "7-42" },
  };
  const wanted = ["step", "creme", '"left koln" step', "bru*", "7-42", "1e", "23 7", "STEP"];
  const others = ["key", "deep", '"brulee left"', "crem", "messages", '"koln left"', "", "*"];
  for (const search of wanted) expect(matches(search, "step", content), search).toBe(true);
  for (const search of others) expect(matches(search, "step", content), search).toBe(false);
  expect(matches("tab", "a\ttab", null)).toBe(true);
  expect(matches("ntab", "a\ntab", null)).toBe(false);
  expect(new SpanMatcher(parseSearch("step")).matches('{"name":"step"')).toBe(false);
});

it("finds a word that the record writes with an escape", () => {
  expect(new SpanMatcher(parseSearch("cafe")).matches('{"name":"caf\\u00e9","content":null}')).toBe(
    true,
  );
});

it("passes a record with a text of which no pattern finds the words", () => {
  const odd = `needle e${"\u0301".repeat(7_800_000)}`;
  expect(() => wordsOf(odd)).toThrow(RangeError);
  expect(matches("needle", "step", odd)).toBe(false);
  expect(matches("needle", "needle", odd)).toBe(true);
});

it("finds what the words of all texts say, with a border between them", () => {
  const piece = fc.constantFrom("a", "B", "ab", "á", " ", "-", "東", "7", "K", "é");
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
  const texts = fc.array(text, { maxLength: 3 });
  const term = fc.oneof(
    text,
    text.map((each) => `"${each}"`),
    text.map((each) => `${each}*`),
  );
  fc.assert(
    fc.property(text, texts, fc.array(term, { maxLength: 2 }), (name, content, terms) => {
      const search = terms.join(" ");
      const all = wordsOf(searchableTexts({ name, content }).join(` ${BORDER} `));
      const line = ` ${all.join(" ")} `;
      const found = parseSearch(search).map(({ words, isPrefix }) =>
        line.includes(` ${words.join(" ")}${isPrefix ? "" : " "}`),
      );
      expect(matches(search, name, content)).toBe(found.length > 0 && found.every(Boolean));
    }),
    { numRuns: 2_000 },
  );
});
