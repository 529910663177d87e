import { expect, it } from "vitest";
import { parseSearch, searchableTexts } from "./search-text.ts";
import { wordsOf } from "./words-of.ts";

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

it("takes the character that stands between texts for a space, in a text and in a search", () => {
  const texts = searchableTexts({ name: "n", content: ["alpha \ue83b beta", "--", ""] });
  expect(texts.flatMap(wordsOf)).toEqual(["n", "alpha", "beta"]);
  expect(parseSearch("\ue83b \ue83bx")).toEqual([{ words: ["x"], isPrefix: false }]);
  expect(parseSearch("\ue83b")).toEqual([]);
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
