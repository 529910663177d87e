import { searchableTexts, toIndexedText } from "@agate/spans/search";
import { AFTER_LISTED_TOTAL } from "@agate/spans/tree";
import type { GrowingBytes } from "../growing-bytes.ts";
import { ASCII, FOLDED, SPACE, spacedWords, wordsText } from "./words-text.ts";

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const LETTER_U = 0x75;

const NAME = Buffer.from("name");
const CONTENT = Buffer.from("content");
const IN_NUMBER: ReadonlySet<number | undefined> = new Set(Buffer.from("+-.0123456789Ee"));
/** Whole numbers up to this length are indexed as they are written: JavaScript has every digit of them. */
const EXACT = /^-?\d{1,15}$/;
const SPACES: ReadonlySet<number | undefined> = new Set(Buffer.from(" \t\n\r"));

// What a byte of a text is: its folded character, 0 between words, or one of these.
const TEXT_ENDS = 1;
const ESCAPES = 2;
const NOT_ASCII = 3;
const BYTES = new Uint8Array(256).fill(NOT_ASCII, ASCII);
BYTES.set(FOLDED);
BYTES[QUOTE] = TEXT_ENDS;
BYTES[BACKSLASH] = ESCAPES;

/**
 * An eighth of the characters that are indexed: no text is cut of a record up to this length. Texts are shorter than
 * their JSON, but for numbers such as `1e20`, which become up to five times as long.
 */
const LONGEST_SCANNED = 1024 ** 2;

/**
 * Writes the words of an open record, those of `wordsText(searchableTexts(…))`. They are found in its bytes: parsing
 * a record takes longer than that, and leaves all of its texts to the garbage collector. Where an object has a key
 * twice, the words of both values are written, and not only those of the last.
 *
 * @throws Where the text cannot be indexed; nothing is written then.
 */
export function writeRecordWords(record: Buffer, words: GrowingBytes): void {
  const before = words.length;
  try {
    if (record.length > LONGEST_SCANNED) words.write(parsedWords(record));
    else scanRecord(record, words);
  } catch (error) {
    words.length = before;
    throw error;
  }
}

function parsedWords(record: Buffer): string {
  return wordsText(searchableTexts(JSON.parse(`${record}null${AFTER_LISTED_TOTAL}`)));
}

/** The name and the content are the only members of the record that are indexed. */
function scanRecord(record: Buffer, words: GrowingBytes): void {
  let missing = 2;
  let depth = 0;
  for (let at = 0; missing > 0; at++) {
    const code = record[at];
    if (code === undefined) throw new SyntaxError("The record ends before its content");
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
    else if (code === QUOTE) {
      const from = at + 1;
      at = textEnd(record, from);
      if (depth !== 1 || record[at + 1] !== COLON) continue;
      if (!isEqual(record, from, at, NAME) && !isEqual(record, from, at, CONTENT)) continue;
      missing--;
      at = writeValue(record, at + 2, words) - 1;
    }
  }
}

function isEqual(record: Buffer, from: number, end: number, key: Buffer): boolean {
  return end - from === key.length && record.compare(key, 0, key.length, from, end) === 0;
}

/** Writes the words of all texts and numbers in a value. @returns Where the value ends. */
function writeValue(record: Buffer, from: number, words: GrowingBytes): number {
  let depth = 0;
  let at = from;
  do {
    const code = record[at];
    if (code === undefined) throw new SyntaxError("The record ends within a value");
    if (code === QUOTE) at = writeText(record, at + 1, words) + 1;
    else if (code === MINUS || (code >= ZERO && code <= NINE)) at = writeNumber(record, at, words);
    else {
      if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
      at++;
    }
  } while (depth > 0);
  return at;
}

function writeNumber(record: Buffer, from: number, words: GrowingBytes): number {
  let end = from + 1;
  while (IN_NUMBER.has(record[end])) end++;
  const written = record.toString("latin1", from, end);
  words.write(spacedWords(EXACT.test(written) ? written : String(JSON.parse(written))));
  return end;
}

/**
 * Writes the words of the text that begins at `from`, unless it is the key of a member. They are never longer than the
 * text, but for the spaces around them.
 *
 * @returns Where its last quote is.
 */
function writeText(record: Buffer, from: number, words: GrowingBytes): number {
  words.reserve(record.length - from + 2);
  const { bytes } = words;
  let length = words.length;
  let last = SPACE;
  bytes[length++] = SPACE;
  let at = from;
  for (; ; at++) {
    let folded = BYTES[record[at]!];
    if (folded === undefined) throw new SyntaxError("The record ends within a text");
    if (folded === ESCAPES) {
      at++;
      folded = 0;
      if (record[at] === LETTER_U) {
        folded = BYTES[Number.parseInt(record.toString("latin1", at + 1, at + 5), 16)] ?? NOT_ASCII;
        // An escaped quote or backslash is a character like any other.
        if (folded < NOT_ASCII) folded = 0;
        at += 4;
      }
    }
    if (folded > NOT_ASCII) bytes[length++] = last = folded;
    else if (folded === 0) {
      if (last !== SPACE) bytes[length++] = last = SPACE;
    } else if (folded === TEXT_ENDS) break;
    else return writeAnyText(record, from, words);
  }
  if (isKey(record, at)) return at;
  if (last !== SPACE) bytes[length++] = SPACE;
  // Without a word nothing is written: two spaces stand between two texts.
  if (length > words.length + 1) words.length = length;
  return at;
}

/** The same for texts with characters beyond ASCII. */
function writeAnyText(record: Buffer, from: number, words: GrowingBytes): number {
  const end = textEnd(record, from);
  if (isKey(record, end)) return end;
  const text = JSON.parse(record.toString("utf8", from - 1, end + 1)) as string;
  words.write(spacedWords(toIndexedText(text)));
  return end;
}

/** Where the last quote is of the text that begins at `from`. */
function textEnd(record: Buffer, from: number): number {
  let at = from;
  for (; record[at] !== QUOTE; at++) {
    if (at >= record.length) throw new SyntaxError("The record ends within a text");
    if (record[at] === BACKSLASH) at++;
  }
  return at;
}

function isKey(record: Buffer, textEnd: number): boolean {
  let at = textEnd + 1;
  while (SPACES.has(record[at])) at++;
  return record[at] === COLON;
}
