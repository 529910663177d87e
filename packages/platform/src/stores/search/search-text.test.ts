import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import type { SearchTerm } from "./search-text.ts";
import {
  joinTexts,
  parseSearch,
  searchableTexts,
  toIndexedText,
  toMatchExpression,
} from "./search-text.ts";
import { wordsOf } from "./words-of.ts";

const db = new DatabaseSync(":memory:");
db.exec("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'unicode61 remove_diacritics 2')");
afterAll(() => db.close());

it("takes more members than a call takes arguments, and nesting deeper than the call stack", () => {
  const wide = Object.fromEntries(Array.from({ length: 200_000 }, (_, n) => [`k${n}`, n]));
  expect(searchableTexts({ name: "wide", content: wide })).toHaveLength(200_001);
  expect(searchableTexts({ name: "wide", content: Object.values(wide) }).at(-1)).toBe("199999");
  let deep: unknown = "bottom";
  for (let n = 0; n < 200_000; n++) deep = n % 2 === 0 ? [deep] : { deep };
  expect(searchableTexts({ name: "deep", content: deep })).toEqual(["deep", "bottom"]);
});

it("takes the beginning of a text that is too long, up to the last whole word", () => {
  const content = { first: "alpha beta", second: 123456, third: "gamma delta" };
  const texts = (most: number) => searchableTexts({ name: "n", content }, most);
  expect(texts(31)).toEqual(["n", "alpha beta", "123456", "gamma delta"]);
  expect(texts(30)).toEqual(["n", "alpha beta", "123456", "gamma"]);
  expect(texts(8)).toEqual(["n", "alpha"]);
  expect(searchableTexts({ name: "n", content: "x".repeat(9) }, 8)).toEqual(["n", "xxxxxx"]);
});

it("puts a border between texts that neither a text nor a search can hold", () => {
  const texts = searchableTexts({ name: "n", content: ["alpha \ue83b beta", "--", ""] });
  expect(texts.flatMap(wordsOf)).toEqual(["n", "alpha", "beta"]);
  expect(parseSearch("\ue83b \ue83bx")).toEqual([{ words: ["x"], isPrefix: false }]);
  const words = wordsOf(joinTexts(searchableTexts({ name: "n", content: ["alpha", "beta"] })));
  expect(words).toEqual(["n", "\ue83b", "alpha", "\ue83b", "beta"]);
  expect(toMatchExpression("\ue83b")).toBeUndefined();
});

it("reads words, phrases and prefixes", () => {
  expect(parseSearch('Rénd "order 7-42" ship* 東京 * "" ( "é*"')).toEqual([
    { words: ["rend"], isPrefix: false },
    { words: ["order", "7", "42"], isPrefix: false },
    { words: ["ship"], isPrefix: true },
    { words: ["東", "京"], isPrefix: false },
    { words: ["e"], isPrefix: false },
  ]);
});

it("finds by its terms what FTS5 finds by its expression", () => {
  const piece = fc.constantFrom(
    "a",
    "b",
    "ab",
    "B",
    "á",
    " ",
    "-",
    '"',
    "*",
    "東",
    "\0",
    "\u19b0",
    "🤖",
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  const insert = db.prepare("INSERT INTO texts (text) VALUES (?)");
  const match = db.prepare("SELECT 1 FROM texts WHERE texts MATCH ?");
  fc.assert(
    fc.property(text, text, (indexed, search) => {
      db.exec("DELETE FROM texts");
      insert.run(toIndexedText(indexed));
      const expression = toMatchExpression(search);
      const terms = parseSearch(search);
      const found = expression === undefined ? 0 : match.all(expression).length;
      expect(terms.length > 0 && terms.every((term) => occurs(term, indexed))).toBe(found === 1);
    }),
    { numRuns: 1000 },
  );
});

function occurs({ words, isPrefix }: SearchTerm, text: string): boolean {
  const all = wordsOf(toIndexedText(text));
  return all.some((_, at) =>
    words.every((word, n) => {
      const there = all[at + n];
      return isPrefix && n === words.length - 1 ? there?.startsWith(word) : there === word;
    }),
  );
}
