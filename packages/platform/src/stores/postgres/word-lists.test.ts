import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BORDER } from "../search/search-text.ts";
import type { ListQuery, WordLists } from "./word-lists.ts";
import { toSearchQuery, toWordLists } from "./word-lists.ts";

/** As PostgreSQL looks for a term in the lists of a segment. */
function isFound({ whole, parts }: WordLists, words: readonly string[], isPrefix: boolean) {
  const query = toSearchQuery({ words, isPrefix });
  const has = (lists: readonly string[], { sequence }: ListQuery) =>
    lists.some((list) => list.includes(sequence));
  return has(whole, query.whole) || query.parts.every((part) => has(parts, part));
}

/** The same by looking at every place of every text. Of a beginning, 300 characters are compared. */
function isThere(
  texts: readonly (readonly string[])[],
  words: readonly string[],
  isPrefix: boolean,
) {
  const last = words.length - 1;
  return texts.some((text) =>
    text.some((_, at) =>
      words.every((word, n) =>
        isPrefix && n === last
          ? text[at + n]?.startsWith(word.slice(0, 300))
          : text[at + n] === word,
      ),
    ),
  );
}

const joined = (texts: readonly (readonly string[])[]) =>
  texts.flatMap((text, n) => (n === 0 ? text : ["", ...text]));
const numbered = (count: number, end = "") =>
  Array.from({ length: count }, (_, n) => `w${n}${end}`);

describe("lists of words", () => {
  it("have the phrases that the texts have, and no others", () => {
    // Of 300 characters a word is stored as it is, of more it is cut.
    const long = "x".repeat(299);
    const word = fc.constantFrom("a", "b", "ab", "é", "京", `${long}y`, `${long}yz`, `${long}yw`);
    const text = fc.array(word, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 4 }),
        fc.array(word, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        (texts, words, isPrefix) => {
          const lists = toWordLists(joined(texts));
          expect(isFound(lists, words, isPrefix)).toBe(isThere(texts, words, isPrefix));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [15_999, "", 1, 0],
    [16_000, "", 1, 0],
    [16_001, "", 0, 2],
    // 4 bytes and 3 for each character: 700,000 bytes are reached with 2,280 to 2,281 words of 100.
    [2_000, "y".repeat(96), 1, 0],
    [2_400, "y".repeat(96), 0, 2],
  ])("of %i words that end with %j are one, or parts that overlap", (count, end, whole, parts) => {
    const words = numbered(count, end);
    const lists = toWordLists(["before", "", ...words, "", "after"]);
    expect(lists.parts).toHaveLength(parts);
    expect(lists.whole.filter((list) => list.includes(" w1"))).toHaveLength(whole);
    for (const list of [...lists.whole, ...lists.parts]) {
      expect(Buffer.byteLength(list)).toBeLessThan(1_000_000);
      expect(list.split(" ")).not.toContain("");
    }
    for (const one of ["before", "after"]) expect(isFound(lists, [one], false)).toBe(true);
    for (let from = 0; from < count - 130; from += 97) {
      expect(isFound(lists, words.slice(from, from + 3), false)).toBe(true);
      expect(isFound(lists, words.slice(from, from + 130), false)).toBe(true);
    }
    expect(isFound(lists, [words.at(-1) as string, "after"], false)).toBe(false);
  });

  it("have a border at both ends, so that every word is between spaces", () => {
    expect(toWordLists(["a", "", "b", "c"])).toEqual({
      whole: [`${BORDER} a ${BORDER} b c ${BORDER}`],
      parts: [],
    });
    expect(toWordLists([])).toEqual({ whole: [], parts: [] });
  });
});
