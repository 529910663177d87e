import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { wordsOf } from "./words-of.ts";

const db = new DatabaseSync(":memory:");
db.exec(`
  CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'unicode61 remove_diacritics 2');
  CREATE VIRTUAL TABLE words USING fts5vocab(texts, instance);
`);
afterAll(() => db.close());

const insert = db.prepare("INSERT INTO texts (text) VALUES (?)");
const select = db.prepare("SELECT term FROM words ORDER BY offset");

/** The words of a text as SQLite has them. */
function wordsOfSqlite(text: string): unknown[] {
  db.exec("DELETE FROM texts");
  insert.run(text);
  return select.all().map(({ term }) => term);
}

it("takes every character as SQLite does, alone and inside of a word", () => {
  const PER_TEXT = 0x1000;
  // The planes between hold Han characters, or nothing.
  const planes = [0x0, 0x10000, 0xe0000].flatMap((plane) =>
    Array.from({ length: plane === 0xe0000 ? 1 : 16 }, (_, n) => plane + n * PER_TEXT),
  );
  for (const from of planes) {
    const text = Array.from({ length: PER_TEXT }, (_, i) => {
      const character = String.fromCodePoint(from + i);
      return `a${character}b ${character}`;
    }).join("\n");
    const words = wordsOf(text);
    // Compared as a whole: a list of thousands would take long to compare with a matcher.
    expect(words.join(" ") === wordsOfSqlite(text).join(" "), from.toString(16)).toBe(true);
  }
});

it("splits any text as SQLite does", () => {
  const character = fc.oneof(
    fc.constantFrom(
      "a",
      "B",
      "é",
      "e\u0301",
      "Ǆ",
      "ß",
      "İ",
      "ς",
      "_",
      "-",
      "'",
      "7",
      "東",
      "\u0301",
      "\0",
      "🤖",
    ),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  );
  fc.assert(
    fc.property(fc.array(character, { maxLength: 40 }), (characters) => {
      const text = characters.join("");
      expect(wordsOf(text)).toEqual(wordsOfSqlite(text));
    }),
    { numRuns: 300 },
  );
});
