import { searchableTexts } from "@agate/spans/search";
import fc from "fast-check";
import { expect, it } from "vitest";
import { GrowingBytes } from "../growing-bytes.ts";
import { writeRecordWords } from "./record-words.ts";
import { wordsText } from "./words-text.ts";

const LONGEST_SCANNED = 1024 ** 2;
const MOST_INDEXED = 8 * 1024 ** 2;

/** Around the name and the content of every record; the braces and quotes in it are no part of its structure. */
const BEFORE = String.raw`"id":"{\"name\":\\","variant":{"name":"inner","content":[1]},"user_id":null,`;
const AFTER = ',"config":{"name":"later"},"metadata":{"content":"other","total":';

const open = (name: string, content: string, between = "") =>
  `{${BEFORE}"name":${name},${between}"content":${content}${AFTER}`;

/** The words as they are found in a record that was parsed. */
function parsedWords(openRecord: string): string {
  const record = JSON.parse(`${openRecord.toWellFormed()}null}}`);
  return wordsText(searchableTexts(record)).toWellFormed();
}

function scannedWords(openRecord: string, words = new GrowingBytes()): string {
  writeRecordWords(Buffer.from(openRecord), words);
  return words.take().toString();
}

const character = fc.oneof(
  fc.constantFrom("a", "Z", "7", " ", "-", '"', "\\", "/", "\n", "\0", "\u007f", "\u0080"),
  fc.constantFrom(
    "é",
    "e\u0301",
    "東",
    "\u19b0",
    "😀",
    "\ud800",
    "\udc00",
    "\ue83b",
    "\ufffd",
    "İ",
  ),
  fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
);
/** Texts as they may be written in JSON, with any of their characters escaped. */
const json = fc
  .array(fc.tuple(character, fc.nat(3)), { maxLength: 30 })
  .map((all) => `"${all.map(([one, way]) => writtenAs(one, way)).join("")}"`);

function writtenAs(text: string, way: number): string {
  const units = Array.from({ length: text.length }, (_, n) => text.charCodeAt(n));
  const hex = units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  if (way === 0) return hex;
  if (way === 1) return hex.replaceAll(/[\da-f]{4}/g, (digits) => digits.toUpperCase());
  if (way === 2 && text === "/") return "\\/";
  return JSON.stringify(text).slice(1, -1);
}

const number = fc.oneof(
  fc.constantFrom("-0", "1e400", "1E20", "0.10", "1e-7", "12345678901234567890", "-1.5e+3"),
  fc
    .integer({ min: 1, max: 18 })
    .chain((digits) =>
      fc.constantFrom("", "-").map((sign) => `${sign}${"987654321098765432".slice(0, digits)}`),
    ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);
const space = fc.constantFrom("", "", " ", "\t\r\n");
const { value } = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    json,
    number,
    fc.constantFrom("true", "false", "null", "[]", "{}"),
    tie("array"),
    tie("object"),
  ),
  array: fc
    .tuple(fc.array(tie("value"), { maxLength: 4 }), space)
    .map(([all, gap]) => `[${gap}${all.join(`${gap},${gap}`)}${gap}]`),
  // No key is a number, which JavaScript would have first, and none comes twice.
  object: fc
    .tuple(fc.array(fc.tuple(json, tie("value")), { maxLength: 4 }), space)
    .map(([all, gap]) => {
      const members = all.map(([key, own], n) => `"k${n}${key.slice(1)}${gap}:${gap}${own}`);
      return `{${gap}${members.join(`${gap},${gap}`)}${gap}}`;
    }),
}));

it("finds in the bytes of any record what is found when it is parsed", () => {
  const words = new GrowingBytes();
  fc.assert(
    fc.property(json, value, (name, content) => {
      const record = open(name, content);
      expect(scannedWords(record, words)).toBe(parsedWords(record));
    }),
    { numRuns: 3_000 },
  );
});

it.each([
  ["every escape", String.raw`"a\"b\\c\/d\be\ff\ng\rh\ti\u0041\u00e9\ud83d\ude00j"`],
  ["quotes and backslashes at the end", String.raw`["a\\","b\"","c\\\"","\\\\"]`],
  ["an escaped character that ends a text or escapes", String.raw`"a\u0022b\u005cc\u005Cd"`],
  ["lone surrogates, escaped and not", '["a\\ud800b","a\ud800b"]'],
  ["a key that is written with escapes", String.raw`{"\u0061\u00e9":"b","c\"":"d","é" : "e"}`],
  ["texts without a word", '["","--","\\n","\\u0000","a"]'],
  ["whole numbers of 15 and 16 digits", "[999999999999999,9999999999999999,-999999999999999]"],
  ["a text", '"only"'],
  ["a number", "42"],
  ["null", "null"],
  ["deep nesting", `${"[".repeat(100_000)}"deep"${"]".repeat(100_000)}`],
])("finds the words in %s", (_, content) => {
  const record = open('"step"', content);
  expect(scannedWords(record)).toBe(parsedWords(record));
});

it("finds the words of long texts, where its memory has to grow", () => {
  for (const length of [65_533, 65_534, 65_535, 65_536, 131_072, 400_000]) {
    for (const text of ["x".repeat(length), "é ".repeat(length / 2), "1 ".repeat(length / 2)]) {
      const record = open('"step"', JSON.stringify([text, "end"]));
      expect(scannedWords(record) === parsedWords(record), `${length} ${text.slice(0, 2)}`).toBe(
        true,
      );
    }
  }
});

it("cuts the texts of a long record as they are cut elsewhere", () => {
  const around = open('"step"', '""').length;
  for (const length of [LONGEST_SCANNED - around, LONGEST_SCANNED - around + 1, MOST_INDEXED + 9]) {
    const record = open('"step"', `"${"ab ".repeat(length / 3)}${"c".repeat(length % 3)}"`);
    expect(record.length).toBe(length + around);
    expect(scannedWords(record) === parsedWords(record), String(length)).toBe(true);
  }
  const numbers = open(
    '"step"',
    `[${Array(Math.floor(LONGEST_SCANNED / 5) - 100)
      .fill("1e20")
      .join(",")},"end"]`,
  );
  expect(numbers.length).toBeLessThan(LONGEST_SCANNED);
  expect(scannedWords(numbers).endsWith(" end ")).toBe(true);
  expect(scannedWords(numbers) === parsedWords(numbers)).toBe(true);
});

it("writes nothing where a record cannot be read", () => {
  const words = new GrowingBytes();
  words.write(" before ");
  const broken = [
    '{"name":"needle"',
    '{"name":"needle","content":["needle"',
    '{"name":"nee',
    "{}",
    "",
  ];
  for (const record of [...broken, '{"name":"a","content":"\\', '{"name":"a","content":"\\u12']) {
    expect(() => writeRecordWords(Buffer.from(record), words), record).toThrow(SyntaxError);
  }
  expect(() => writeRecordWords(Buffer.from(`{${" ".repeat(MOST_INDEXED)}`), words)).toThrow();
  expect(words.take().toString()).toBe(" before ");
});
