import { createHash } from "node:crypto";
import type { SearchTerm } from "../search/search-text.ts";
import { BORDER } from "../search/search-text.ts";

/** Words in one list, so that making the vector of its words takes little memory. */
const WORDS_PER_LIST = 16_000;
/** Bytes of its different words: a vector takes less than 1 MB. */
const BYTES_PER_LIST = 700_000;
/** A longer word is cut here, and goes on with a hash of it: a vector takes words of less than 2 KB. */
const LONGEST_WORD = 300;
/** The number of words that consecutive parts share, so that a phrase across the border is found. */
const OVERLAP = 64;
/** Most bytes that a character of a JavaScript string takes, and what a vector has beside each word. */
const BYTES_PER_UNIT = 3;
const BYTES_PER_ENTRY = 4;

/**
 * Words of texts in their order, with a space between them and a border around each text, so that every word stands
 * between two spaces and a phrase is a part of the list.
 */
export type WordList = string;

/** The words of some texts, as PostgreSQL stores them. */
export interface WordLists {
  /** Each has one or several whole texts. */
  readonly whole: readonly WordList[];
  /** Each has a part of a text that is too long for one list. */
  readonly parts: readonly WordList[];
}

/** @param words Of several texts, with an empty one between two of them. */
export function toWordLists(words: readonly string[]): WordLists {
  const whole: WordList[] = [];
  const parts: WordList[] = [];
  for (let from = 0; from < words.length; ) {
    if (words[from] === "") {
      from++;
      continue;
    }
    const end = endOfList(words, from, words.length);
    const border = end === words.length ? end : words.lastIndexOf("", end);
    if (border > from) {
      whole.push(listOf(words, from, border));
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

/** The parts of a text that is too long for one list. */
function partsOf(words: readonly string[], start: number, textEnd: number): WordList[] {
  const parts: WordList[] = [];
  for (let from = start; ; ) {
    const end = endOfList(words, from, textEnd);
    parts.push(listOf(words, from, end));
    if (end === textEnd) return parts;
    // At least one word further, so that the loop ends.
    from = Math.max(end - OVERLAP, from + 1);
  }
}

/** Behind the last word that has room in a list. */
function endOfList(words: readonly string[], from: number, most: number): number {
  const known = new Set<string>();
  let bytes = 0;
  let at = from;
  for (; at < most && at - from < WORDS_PER_LIST; at++) {
    const word = words[at] as string;
    if (known.has(word)) continue;
    bytes += BYTES_PER_ENTRY + Math.min(word.length, 2 * LONGEST_WORD) * BYTES_PER_UNIT;
    if (bytes > BYTES_PER_LIST) break;
    known.add(word);
  }
  return at;
}

function listOf(words: readonly string[], from: number, to: number): WordList {
  let list = BORDER;
  for (let at = from; at < to; at++) {
    const word = words[at] as string;
    list += word === "" ? ` ${BORDER}` : ` ${shortened(word, BORDER)}`;
  }
  return `${list} ${BORDER}`;
}

/** What a term of a search looks for. */
export interface SearchQuery {
  /** In a list of whole texts. */
  readonly whole: ListQuery;
  /** Each of these must be in some part of a longer text. */
  readonly parts: readonly ListQuery[];
}

/** Words that follow each other in a list. */
export interface ListQuery {
  /** All of the words, in any order, in `tsquery`'s language: what the index knows. */
  readonly words: string;
  /** What the list then has. Null where the words say it all, as there is only one. */
  readonly phrase: string | null;
  /** What any list has, whether the index was asked or not. */
  readonly sequence: string;
  /** The phrase in `tsquery`'s language, for words that earlier versions stored with their places. */
  readonly places: string;
}

export function toSearchQuery(term: SearchTerm): SearchQuery {
  return { whole: toListQuery(term), parts: windows(term).map(toListQuery) };
}

function toListQuery({ words, isPrefix }: SearchTerm): ListQuery {
  const isBeginning = (n: number) => isPrefix && n === words.length - 1;
  const inQuery = (joint: string) =>
    words.map((word, n) => {
      const text = isBeginning(n) ? word.slice(0, LONGEST_WORD) : shortened(word, joint);
      return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'${isBeginning(n) ? ":*" : ""}`;
    });
  const inList = words.map((word, n) =>
    isBeginning(n) ? ` ${word.slice(0, LONGEST_WORD)}` : ` ${shortened(word, BORDER)}`,
  );
  const sequence = `${inList.join("")}${isPrefix ? "" : " "}`;
  return {
    words: [...new Set(inQuery(BORDER))].join(" & "),
    phrase: words.length > 1 ? sequence : null,
    sequence,
    places: inQuery(" ").join(" <-> "),
  };
}

/** A phrase that is longer than what parts share, as shorter ones that overlap. */
function windows({ words, isPrefix }: SearchTerm): SearchTerm[] {
  if (words.length <= OVERLAP) return [{ words, isPrefix }];
  return Array.from({ length: words.length - OVERLAP + 1 }, (_, from) => ({
    words: words.slice(from, from + OVERLAP),
    isPrefix: isPrefix && from + OVERLAP === words.length,
  }));
}

function shortened(word: string, joint: string): string {
  if (word.length <= LONGEST_WORD) return word;
  const hash = createHash("sha256").update(word).digest("base64url");
  return `${word.slice(0, LONGEST_WORD)}${joint}${hash}`;
}
