import { wordsOf } from "./words-of.ts";

// Chinese, Japanese, Korean and Thai are written without spaces between words, so each of their
// characters becomes a word of its own, and a run of them in a query a phrase.
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu;
const IS_UNSPACED = new RegExp(`^${UNSPACED.source}$`, "u");
const HAS_UNSPACED = new RegExp(UNSPACED.source, "u");

/**
 * A character for private use, which is in no word of a text or a search: there it is taken for a space. PostgreSQL's
 * lists of words have it around each text, so that no phrase goes from one to the next; SQLite's index has it within
 * words that are made of several.
 */
export const BORDER = "\ue83b";

/** Text as the index takes it. */
export function toIndexedText(text: string): string {
  return text.replaceAll(BORDER, " ").replace(UNSPACED, " $& ");
}

/** Whether a word is one of these characters. */
export function isUnspaced(word: string): boolean {
  return IS_UNSPACED.test(word);
}

export function hasUnspaced(text: string): boolean {
  return HAS_UNSPACED.test(text);
}

/** Of longer texts the rest is not indexed: a span of 60 MB would take a gigabyte of memory. */
const MOST_CHARACTERS = 8 * 1024 ** 2;

interface SearchedRecord {
  readonly name: string;
  readonly content: unknown;
}

/**
 * What may be searched of a span, as the index takes it: its name and every text in its content, keys left out.
 *
 * @param record A listed span record.
 * @param most Characters that are taken; tests use fewer.
 */
export function searchableTexts(record: SearchedRecord, most = MOST_CHARACTERS): string[] {
  const texts: string[] = [];
  let room = most;
  const add = (text: string) => {
    texts.push(toIndexedText(text.length > room ? wholeWords(text, room) : text));
    room -= text.length + 1;
  };
  add(record.name);
  // An own stack: content may be nested deeper than the call stack allows.
  const rest: unknown[] = [record.content];
  while (rest.length > 0 && room > 0) {
    const value = rest.pop();
    if (typeof value === "string" || typeof value === "number") {
      add(String(value));
    } else if (typeof value === "object" && value !== null) {
      const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
      // One by one: as arguments of a single call, some 100,000 members overflow the call stack.
      for (let i = members.length - 1; i >= 0; i--) rest.push(members[i]);
    }
  }
  return texts;
}

/** The beginning of a text, without a word that is cut in two. */
function wholeWords(text: string, most: number): string {
  const end = text.lastIndexOf(" ", most);
  return text.slice(0, end > 0 ? end : most);
}

/** Words that must stand one after the other; of a prefix, the last word may go on. */
export interface SearchTerm {
  readonly words: readonly string[];
  readonly isPrefix: boolean;
}

/**
 * A search as people type it: all words must occur, `"in quotes"` as a phrase, `begin*` as a prefix.
 * Everything else is taken literally, so no text is a syntax error.
 *
 * @returns Nothing when there is no word in it: then nothing is found.
 * @example parseSearch('refund "order 7" ship*')
 */
export function parseSearch(text: string): SearchTerm[] {
  return literalTerms(text)
    .map(({ literal, isPrefix }) => ({ words: wordsOf(literal), isPrefix }))
    .filter(({ words }) => words.length > 0);
}

/** The terms of a search, each once. */
export function distinctTerms(text: string): SearchTerm[] {
  return [...new Map(parseSearch(text).map((term) => [JSON.stringify(term), term])).values()];
}

function literalTerms(text: string): { literal: string; isPrefix: boolean }[] {
  const terms: { literal: string; isPrefix: boolean }[] = [];
  for (const [, phrase, word] of text.matchAll(/"([^"]*)"|([^\s"]+)/g)) {
    const isPrefix = word !== undefined && word.length > 1 && word.endsWith("*");
    const literal = toIndexedText(phrase ?? word ?? "");
    if (/[\p{L}\p{N}\p{Co}]/u.test(literal)) terms.push({ literal, isPrefix });
  }
  return terms;
}
