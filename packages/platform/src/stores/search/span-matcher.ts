import type { SearchTerm } from "@agate/spans/search";
import { searchableTexts, wordsOf } from "@agate/spans/search";

/** A record in which words stand as they are searched for, but for capitals. */
const NOT_PLAIN = /[^\0-\x7f]|\\u/;
/** Digits left out: a number may be written in another way than it is indexed. */
const PLAIN_WORD = /^[a-z]+$/;

/**
 * Finds out whether spans match a search by reading their records, for a store whose index knows the traces that
 * have all terms and not the spans.
 */
export class SpanMatcher {
  readonly #terms: readonly SearchTerm[];
  readonly #plainWords: readonly string[];

  /** @param terms All of which a span must have. */
  constructor(terms: readonly SearchTerm[]) {
    this.#terms = terms;
    this.#plainWords = this.#terms.flatMap(({ words }) => words.filter((w) => PLAIN_WORD.test(w)));
  }

  /** @param record A listed span record, as JSON. False too for one that cannot be read. */
  matches(record: string): boolean {
    return this.#terms.length > 0 && this.#mayMatch(record) && this.#hasAll(record);
  }

  /** A cheap look at the whole record, which most spans of a trace do not pass. */
  #mayMatch(record: string): boolean {
    if (this.#plainWords.length === 0 || NOT_PLAIN.test(record)) return true;
    const plain = record.toLowerCase();
    return this.#plainWords.every((word) => plain.includes(word));
  }

  #hasAll(record: string): boolean {
    let missing = this.#terms;
    try {
      for (const text of searchableTexts(JSON.parse(record))) {
        const words = wordsOf(text);
        missing = missing.filter((term) => !hasTerm(words, term));
        if (missing.length === 0) return true;
      }
    } catch {
      // Reported when it was indexed. A list must not fail for one span with an odd text.
    }
    return false;
  }
}

function hasTerm(words: readonly string[], { words: wanted, isPrefix }: SearchTerm): boolean {
  const last = wanted.length - 1;
  return words.some((_, at) =>
    wanted.every((word, n) => {
      const there = words[at + n];
      return isPrefix && n === last ? there?.startsWith(word) === true : there === word;
    }),
  );
}
