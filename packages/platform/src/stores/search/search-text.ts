import { wordsOf } from "./words-of.ts";

// Chinese, Japanese, Korean and Thai are written without spaces between words, so each of their
// characters becomes a word of its own, and a run of them in a query a phrase.
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu;

/** Text as the index takes it. */
export function toIndexedText(text: string): string {
  return text.replace(UNSPACED, " $& ");
}

/** Of longer texts the rest is not indexed: a span of 60 MB would take a gigabyte of memory. */
const MOST_CHARACTERS = 8 * 1024 ** 2;

/**
 * What may be searched of a span: its name and every text in its content, keys left out.
 *
 * @param record A listed span record.
 * @param most Characters that are taken; tests use fewer.
 */
export function searchableText(
  record: { name: string; content: unknown },
  most = MOST_CHARACTERS,
): string {
  const texts = [record.name];
  let length = record.name.length;
  // An own stack: content may be nested deeper than the call stack allows.
  const rest: unknown[] = [record.content];
  while (rest.length > 0 && length < most) {
    const value = rest.pop();
    if (typeof value === "string" || typeof value === "number") {
      const text = String(value);
      texts.push(text);
      length += text.length + 1;
    } else if (typeof value === "object" && value !== null) {
      const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
      // One by one: as arguments of a single call, some 100,000 members overflow the call stack.
      for (let i = members.length - 1; i >= 0; i--) rest.push(members[i]);
    }
  }
  const text = texts.join("\n");
  return toIndexedText(text.length > most ? wholeWords(text, most) : text);
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

/**
 * The same search in FTS5's language.
 *
 * @returns undefined when there is no word in it.
 * @example toMatchExpression('refund "order 7" ship*') // '"refund" "order 7" "ship"*'
 */
export function toMatchExpression(text: string): string | undefined {
  const terms = literalTerms(text).map(({ literal, isPrefix }) => {
    // FTS5 would take a NUL for the end of the expression.
    const quoted = literal.replaceAll('"', '""').replaceAll("\0", " ");
    return `"${quoted}"${isPrefix ? "*" : ""}`;
  });
  return terms.length === 0 ? undefined : terms.join(" ");
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
