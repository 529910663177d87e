import type { SearchTerm } from "../search/search-text.ts";
import { hasUnspaced, isUnspaced, parseSearch, toIndexedText } from "../search/search-text.ts";
import { wordsOf } from "../search/words-of.ts";

/**
 * Words of a phrase that are looked up. The others are left to the look at the records, which a phrase needs anyway.
 */
const MOST_WORDS = 32;

/** A term of a search, as the tables of the full-text index are asked for it. */
export interface MatchTerm {
  readonly term: SearchTerm;
  /** For documents without the places of words: all words, anywhere. More than have the term where it is a phrase. */
  readonly words: string;
  /** For documents of earlier versions, which have the places. */
  readonly phrase: string;
}

/**
 * The terms of a search, each once.
 *
 * @returns None when there is no word in it: then nothing is found.
 * @example matchTerms('"order 7" ship*') // words: '"order" "7"', phrase: '"order 7"'; '"ship"*' for both
 */
export function matchTerms(text: string): MatchTerm[] {
  const terms = new Map<string, MatchTerm>();
  for (const term of parseSearch(text)) {
    const found = matchTerm(term);
    terms.set(found.phrase, found);
  }
  return [...terms.values()];
}

/** The words of a text as one phrase; undefined where it has none. */
export function matchPhrase(text: string): MatchTerm | undefined {
  const words = wordsOf(toIndexedText(text));
  return words.length === 0 ? undefined : matchTerm({ words, isPrefix: false });
}

/** Whether only a look at records tells if a trace has the term: the index does not know which words follow which. */
export function isPhrase({ words }: SearchTerm): boolean {
  return words.length > 1;
}

function matchTerm(term: SearchTerm): MatchTerm {
  const { words, isPrefix } = term;
  const star = isPrefix ? "*" : "";
  const last = words.length - 1;
  const lookedUp = new Set<string>();
  for (const [n, word] of words.entries()) {
    const isLast = n === last;
    const next = words[n + 1];
    // What a word begins with is in no pair.
    const isPaired = next !== undefined && !(isPrefix && n + 1 === last);
    if (isPaired && isUnspaced(word) && isUnspaced(next)) lookedUp.add(`"${word}${next}"`);
    else if (isLast && isPrefix) lookedUp.add(`"${word}"*`);
    else if (!isEndOfPair(words, n)) lookedUp.add(`"${word}"`);
  }
  return {
    term,
    words: [...lookedUp].slice(0, MOST_WORDS).join(" "),
    phrase: `"${words.join(" ")}"${star}`,
  };
}

/** Whether the word is known to be there by the pair that ends with it. */
function isEndOfPair(words: readonly string[], n: number): boolean {
  const before = words[n - 1];
  return before !== undefined && isUnspaced(before) && isUnspaced(words[n] as string);
}

/**
 * A text as it is indexed without the places of its words: characters that are written without spaces between words
 * are also indexed with the one behind them. Each of them alone is in nearly every text of its language.
 */
export function withPairs(text: string): string {
  if (!hasUnspaced(text)) return text;
  const words = wordsOf(text);
  const pairs = words.flatMap((word, n) => {
    const next = words[n + 1];
    return next !== undefined && isUnspaced(word) && isUnspaced(next) ? [word + next] : [];
  });
  return pairs.length === 0 ? text : `${text}\n${pairs.join(" ")}`;
}
