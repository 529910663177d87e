import { createHash } from "node:crypto";
import type { SearchTerm } from "../search/search-text.ts";

// PostgreSQL's limits: a position is below 16384, a word is in at most 255 places and has less than
// 2 KB, and all of it together takes less than 1 MB.

const WORDS_PER_VECTOR = 16_000;
const PLACES_PER_WORD = 255;
const BYTES_PER_VECTOR = 700_000;
/** A longer word is cut here, and goes on with a hash of it. */
const LONGEST_WORD = 300;
/** The number of words that consecutive parts share, so that a phrase across the border is found. */
const OVERLAP = 64;
/** Most bytes that a character of a JavaScript string takes, and a place. */
const BYTES_PER_UNIT = 3;
const BYTES_PER_PLACE = 4;

/** Words with their places, in `tsvector`'s binary format. */
export type SearchVector = Buffer;

/** The words of some texts, ready for PostgreSQL's full-text search. */
export interface SearchVectors {
  /** Each has one or several whole texts. */
  readonly whole: readonly SearchVector[];
  /** Each has a part of a text that is too long for one vector. */
  readonly parts: readonly SearchVector[];
}

/** @param words Of several texts, with an empty one between two of them, which takes a place and is not stored. */
export function toSearchVectors(words: readonly string[]): SearchVectors {
  const whole: SearchVector[] = [];
  const parts: SearchVector[] = [];
  for (let from = 0; from < words.length; ) {
    if (words[from] === "") {
      from++;
      continue;
    }
    const { places, end } = takePart(words, from, words.length);
    const border = end === words.length ? end : words.lastIndexOf("", end);
    if (border > from) {
      whole.push(encode(border === end ? places : takePart(words, from, border).places));
      from = border + 1;
    } else {
      const next = words.indexOf("", end);
      const textEnd = next === -1 ? words.length : next;
      for (const part of partsOf(words, from, textEnd)) parts.push(part);
      from = textEnd + 1;
    }
  }
  return { whole, parts };
}

/** The parts of a text that is too long for one vector. */
function partsOf(words: readonly string[], start: number, textEnd: number): SearchVector[] {
  const vectors: SearchVector[] = [];
  for (let from = start; ; ) {
    const { places, end } = takePart(words, from, textEnd);
    vectors.push(encode(places));
    if (end === textEnd) return vectors;
    // At least one word further, so that the loop ends.
    from = Math.max(end - OVERLAP, from + 1);
  }
}

/** As many words as have room in one vector. */
function takePart(words: readonly string[], from: number, most: number) {
  const places = new Map<string, number[]>();
  let bytes = 0;
  let at = from;
  for (; at < most && at - from < WORDS_PER_VECTOR; at++) {
    if (words[at] === "") continue;
    const word = lexeme(words[at] as string);
    const known = places.get(word);
    if (known?.length === PLACES_PER_WORD) break;
    bytes += BYTES_PER_PLACE + (known === undefined ? word.length * BYTES_PER_UNIT : 0);
    if (bytes > BYTES_PER_VECTOR) break;
    // Places are counted from 1.
    if (known === undefined) places.set(word, [at - from + 1]);
    else known.push(at - from + 1);
  }
  return { places, end: at };
}

function encode(places: ReadonlyMap<string, readonly number[]>): SearchVector {
  let bytes = 4;
  for (const [word, own] of places) bytes += Buffer.byteLength(word) + 3 + own.length * 2;
  const vector = Buffer.allocUnsafe(bytes);
  let at = vector.writeInt32BE(places.size, 0);
  for (const [word, own] of places) {
    at += vector.write(word, at);
    at = vector.writeUInt8(0, at);
    at = vector.writeUInt16BE(own.length, at);
    for (const place of own) at = vector.writeUInt16BE(place, at);
  }
  return vector;
}

/** What a term of a search looks for, in `tsquery`'s language. */
export interface SearchQuery {
  /** In a vector of whole texts. */
  readonly whole: string;
  /** Each of these must be in some part of a longer text. */
  readonly parts: readonly string[];
}

export function toSearchQuery(term: SearchTerm): SearchQuery {
  return { whole: phrase(term), parts: windows(term).map(phrase) };
}

function phrase({ words, isPrefix }: SearchTerm): string {
  return words
    .map((word, n) => {
      const isBeginning = isPrefix && n === words.length - 1;
      const text = isBeginning ? word.slice(0, LONGEST_WORD) : lexeme(word);
      return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'${isBeginning ? ":*" : ""}`;
    })
    .join(" <-> ");
}

/** A phrase that is longer than what parts share, as shorter ones that overlap. */
function windows({ words, isPrefix }: SearchTerm): SearchTerm[] {
  if (words.length <= OVERLAP) return [{ words, isPrefix }];
  return Array.from({ length: words.length - OVERLAP + 1 }, (_, from) => ({
    words: words.slice(from, from + OVERLAP),
    isPrefix: isPrefix && from + OVERLAP === words.length,
  }));
}

function lexeme(word: string): string {
  if (word.length <= LONGEST_WORD) return word;
  const hash = createHash("sha256").update(word).digest("base64url");
  return `${word.slice(0, LONGEST_WORD)} ${hash}`;
}
