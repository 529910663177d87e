import { BORDER } from "@agate/spans/search";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
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

const spaced = (words: readonly string[]) => ` ${words.join(" ")} `;
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
          const lists = toWordLists(texts.map(spaced));
          expect(isFound(lists, words, isPrefix)).toBe(isThere(texts, words, isPrefix));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  /** Words of as many characters, with their spaces. */
  const exactly = (characters: number) => {
    const fillers = Math.floor((characters - 10) / 7);
    const last = "y".repeat(characters - 2 - 7 * fillers);
    return `${" filler".repeat(fillers)} ${last} `;
  };

  it.each([
    [199_999, 1, 0],
    [200_000, 1, 0],
    [200_001, 0, 1],
    [200_020, 0, 2],
    [600_000, 0, 4],
  ])("of a text of %i characters are %i, or %i parts of it", (characters, whole, parts) => {
    const words = exactly(characters);
    expect(words).toHaveLength(characters);
    const lists = toWordLists([words]);
    expect([lists.whole.length, lists.parts.length]).toEqual([whole, parts]);
  });

  it("are as long as a vector of their words may be, also of random texts", () => {
    const text = fc
      .constantFrom(1, 40, 299, 300, 301, 5_000)
      .chain((length) =>
        fc
          .integer({ min: 1, max: Math.min(3_000, 1_500_000 / length) })
          .map((count) => numbered(count, "京".repeat(length))),
      );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), (texts) => {
        const { whole, parts } = toWordLists(texts.map(spaced));
        for (const list of [...whole, ...parts]) {
          expect(Buffer.byteLength(list)).toBeLessThan(1_000_000);
          const words = list.split(" ");
          expect(words).not.toContain("");
          expect(words.filter((word) => Buffer.byteLength(word) >= 2_000)).toEqual([]);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("of a text that is cut have each of its phrases, those across the cuts too", () => {
    const words = numbered(60_000);
    const lists = toWordLists([" before ", spaced(words), " after "]);
    expect(lists.parts.length).toBeGreaterThan(2);
    const cuts = lists.parts.map((part) => words.indexOf(part.split(" ")[1] as string));
    for (const cut of cuts) {
      for (let from = Math.max(0, cut - 140); from < cut + 80; from += 3) {
        for (const length of [1, 3, 64, 65, 80]) {
          expect(isFound(lists, words.slice(from, from + length), false)).toBe(true);
        }
      }
    }
    for (const one of ["before", "after"]) expect(isFound(lists, [one], false)).toBe(true);
    expect(isFound(lists, ["w59999", "after"], false)).toBe(false);
    expect(isFound(lists, ["w1", "w3"], false)).toBe(false);
  });

  it("have a border at both ends, so that every word is between spaces", () => {
    expect(toWordLists([" a ", " b c "])).toEqual({
      whole: [`${BORDER} a ${BORDER} b c ${BORDER}`],
      parts: [],
    });
    expect(toWordLists([])).toEqual({ whole: [], parts: [] });
  });
});
