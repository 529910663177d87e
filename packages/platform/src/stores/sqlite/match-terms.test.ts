import { DatabaseSync } from "node:sqlite";
import type { SearchTerm } from "@agate/spans/search";
import { BORDER, isUnspaced, parseSearch, toIndexedText, wordsOf } from "@agate/spans/search";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { isPhrase, matchPhrase, matchTerms, withNeighbours } from "./match-terms.ts";

const db = new DatabaseSync(":memory:");
const TOKENIZE = "tokenize = 'unicode61 remove_diacritics 2'";
db.exec(`CREATE VIRTUAL TABLE texts USING fts5(text, ${TOKENIZE});
  CREATE VIRTUAL TABLE words USING fts5(text, ${TOKENIZE}, detail = none)`);
afterAll(() => db.close());

const counting = (table: string) => db.prepare(`SELECT 1 FROM ${table} WHERE ${table} MATCH ?`);
const inTexts = counting("texts");
const inWords = counting("words");

function index(text: string): void {
  db.exec("DELETE FROM texts; DELETE FROM words");
  const indexed = toIndexedText(text);
  db.prepare("INSERT INTO texts (text) VALUES (?)").run(indexed);
  db.prepare("INSERT INTO words (text) VALUES (?)").run(withNeighbours(indexed));
}

function occurs({ words, isPrefix }: SearchTerm, text: string): boolean {
  const all = wordsOf(toIndexedText(text));
  return all.some((_, at) =>
    words.every((word, n) => {
      const there = all[at + n];
      return isPrefix && n === words.length - 1 ? there?.startsWith(word) : there === word;
    }),
  );
}

const piece = fc.constantFrom(
  ...[
    "a",
    "b",
    "ab",
    "B",
    "á",
    "7",
    " ",
    "-",
    "-",
    "_",
    ".",
    '"',
    "*",
    "東",
    "京",
    "ガ",
    "カ\u3099",
    "한",
    "ก",
    "กิ",
  ],
  ...["\0", "\u19b0", "🤖", "ſ", "İ", "\ue83b"],
);
const anyText = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

it("finds with the places of words what a term says, and without them no less", () => {
  fc.assert(
    fc.property(anyText, anyText, (text, search) => {
      index(text);
      const terms = matchTerms(search);
      const asked = new Set(parseSearch(search).map((term) => JSON.stringify(term)));
      expect(new Set(terms.map(({ term }) => JSON.stringify(term)))).toEqual(asked);
      for (const { term, words, joined, phrase } of terms) {
        const isThere = occurs(term, text);
        if (joined !== undefined && inWords.all(joined).length === 1) {
          expect(isThere, joined).toBe(true);
        }
        expect(inTexts.all(phrase).length === 1, phrase).toBe(isThere);
        const isFound = inWords.all(words).length === 1;
        if (isPhrase(term)) expect(isFound || !isThere, words).toBe(true);
        else expect(isFound, words).toBe(isThere);
      }
    }),
    { numRuns: 2_000 },
  );
});

it("indexes the pairs of characters that follow each other as words, each once", () => {
  const pairsOf = (indexed: string) => {
    const words = wordsOf(indexed);
    return words.flatMap((word, n) => {
      const next = words[n + 1];
      return next !== undefined && isUnspaced(word) && isUnspaced(next) ? [word + next] : [];
    });
  };
  const characters = fc.oneof(
    piece,
    fc.constantFrom("e\u0301", "\u0301", "\u3099", "\u0e34", "豈", "𠀀", "\u{323b0}", "ｶ", "、"),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  );
  const text = fc.array(characters, { maxLength: 12 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, (given) => {
      const indexed = toIndexedText(given);
      const added = withNeighbours(indexed)
        .slice(indexed.length + 1)
        .split(" ");
      const pairs = added.filter((word) => word !== "" && !word.includes(BORDER));
      expect(pairs).toEqual([...new Set(pairsOf(indexed))]);
    }),
    { numRuns: 1_000 },
  );
  const codes = Array.from({ length: 0x33480 }, (_, code) => code).filter(
    (code) => code < 0x3200 || (code % 32 === 0 && (code < 0xd800 || code > 0xdfff)),
  );
  const between = codes.map((code) => `東${String.fromCodePoint(code)}京`);
  const indexed = toIndexedText(between.join("a"));
  const added = withNeighbours(indexed)
    .slice(indexed.length + 1)
    .split(" ");
  const pairs = new Set(added.filter((word) => !word.includes(BORDER)));
  expect(pairs).toEqual(new Set(pairsOf(indexed)));
});

it("takes each word for one word again, whichever characters it has", () => {
  const codes = Array.from({ length: 0x3200 }, (_, code) => code);
  const words = new Set(wordsOf(codes.map((code) => `x${String.fromCodePoint(code)}y`).join(" ")));
  for (const word of words) expect(wordsOf(word)).toEqual([word]);
});

it("looks up neighbours that are written without spaces as one word", () => {
  const wordsFor = (search: string) => matchTerms(search).map(({ words }) => words);
  expect(wordsFor("東京都")).toEqual(['"東京" "京都"']);
  expect(wordsFor("東京都*")).toEqual(['"東京" "都"*']);
  expect(wordsFor("東*")).toEqual(['"東"*']);
  expect(wordsFor('"in 東京 now"')).toEqual(['"in" "東京" "now"']);
  expect(wordsFor("東a京")).toEqual(['"東" "a" "京"']);
  expect(matchPhrase("東京: 7")?.words).toBe('"東京" "7"');
  expect(matchPhrase("--")).toBeUndefined();
  const isFound = (search: string) => inWords.all(wordsFor(search).join(" ")).length === 1;
  index("京都の東、京");
  expect(["東京", "京都", "都の東", "の*"].map(isFound)).toEqual([true, true, true, true]);
  expect(["都東", "東都"].map(isFound)).toEqual([false, false]);
});

it("knows of words that a mark joins that they follow each other", () => {
  const isKnown = (search: string, text: string) => {
    index(text);
    const [term] = matchTerms(search);
    return term?.joined !== undefined && inWords.all(term.joined).length === 1;
  };
  const text = "model=GPT-4o-mini-2024, user_id: ada@example.com (b.c), xa-bé, ép-q, 7-42, d--e";
  const known = [
    "gpt-4o",
    '"gpt 4o mini"',
    "GPT_4o.mini-2024",
    "user_id",
    "ada@example.com",
    "b.c",
  ];
  for (const search of known) expect(isKnown(search, text), search).toBe(true);
  // Not joined, cut off, four words at most, from the first one on, and no numbers.
  const unknown = [
    "model=gpt",
    "gpt-4o-*",
    "gpt-4o-mini-2024-x",
    "4o-mini",
    "a-b",
    "xa-b",
    "p-q",
    "7-42",
  ];
  for (const search of unknown) expect(isKnown(search, text), search).toBe(false);
  expect(isKnown("d-e", text)).toBe(false);
  expect(isKnown("a-b-c-d", "a-b-c-d-e")).toBe(true);
  expect(isKnown("a-b-c-d-e", "a-b-c-d-e")).toBe(false);
  // The words behind the fourth begin anew.
  const longer = "a-b-c-d-e-f, k.l.m.n.o";
  expect(["e-f", "k-l"].filter((search) => isKnown(search, longer))).toEqual(["e-f", "k-l"]);
  expect(["d-e", "b-c", "n-o"].filter((search) => isKnown(search, longer))).toEqual([]);
});

it.each([32, 33, 5_000])("looks up the words of a phrase of %i words", (count) => {
  const words = Array.from({ length: count }, (_, n) => `word${n}`);
  const term = matchPhrase(words.join(" "));
  expect(term?.words.split(" ")).toHaveLength(32);
  index(words.join(" "));
  expect(inWords.all(term?.words ?? "")).toHaveLength(1);
  index(words.slice(1).join(" "));
  expect(inWords.all(term?.words ?? "")).toHaveLength(0);
});
