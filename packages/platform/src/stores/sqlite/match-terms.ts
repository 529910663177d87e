import type { SearchTerm } from "@agate/spans/search";
import {
  BORDER,
  hasUnspaced,
  isUnspaced,
  parseSearch,
  toIndexedText,
  wordsOf,
} from "@agate/spans/search";

/**
 * Words of a phrase that are looked up. The others are left to the look at the records, which a phrase needs anyway.
 */
const MOST_WORDS = 32;
/**
 * Words that are indexed as one where nothing but a mark is between them, from the first of them on. The words behind the
 * fourth are taken for others, which begin anew; not behind `_`.
 */
const MOST_JOINED = 4;
/**
 * Such as `gpt-4o`, `rate_limit` and `user@example.com`. Not numbers and times: there are very many, each once.
 * No more words than are used: a pattern that repeats a group millions of times overflows V8's stack.
 */
const JOINED = new RegExp(
  String.raw`(?<![\w\u0080-\uffff])[a-z][a-z0-9]*(?:[-_.@:/+#][a-z0-9]+){1,${MOST_JOINED - 1}}(?![a-z0-9\u0080-\uffff])`,
  "gi",
);
const MARK = /[-_.@:/+#]/;

/** A term of a search, as the tables of the full-text index are asked for it. */
export interface MatchTerm {
  readonly term: SearchTerm;
  /** For documents without the places of words: all words, anywhere. More than have the term where it is a phrase. */
  readonly words: string;
  /** Of a phrase, for the same documents: where it stands without spaces. A trace with this word has the phrase. */
  readonly joined: string | undefined;
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
    joined:
      isPhrase(term) && !isPrefix && words.length <= MOST_JOINED
        ? `"${joinedWord(words)}"`
        : undefined,
    phrase: `"${words.join(" ")}"${star}`,
  };
}

/** Whether the word is known to be there by the pair that ends with it. */
function isEndOfPair(words: readonly string[], n: number): boolean {
  const before = words[n - 1];
  return before !== undefined && isUnspaced(before) && isUnspaced(words[n] as string);
}

/**
 * A text as it is indexed without the places of its words. Characters that are written without spaces between words are
 * also indexed with the one behind them: each of them alone is in nearly every text of its language. Words that a mark
 * joins are also indexed as one, so that it need not be looked for in the records whether they follow each other.
 */
export function withNeighbours(text: string): string {
  const added = [...(hasUnspaced(text) ? pairsIn(text) : []), ...joinedIn(text)];
  return added.length === 0 ? text : `${text}\n${added.join(" ")}`;
}

/**
 * Each of these characters stands alone between spaces, so that the words need not be told from each other: a pattern
 * for them overflows V8's stack on a long one, and a list of all words takes a gigabyte for a long text.
 *
 * @param text As {@link toIndexedText} makes it.
 */
function pairsIn(text: string): Set<string> {
  const pairs = new Set<string>();
  const kinds = new Map<string, CharacterKind>();
  let before: string | undefined;
  for (const character of text) {
    let kind = kinds.get(character);
    if (kind === undefined) {
      kind = kindOf(character);
      kinds.set(character, kind);
    }
    if (kind === "between words") continue;
    if (kind === "in a word") before = undefined;
    else {
      if (before !== undefined) pairs.add(before + character);
      before = character;
    }
  }
  return pairs;
}

type CharacterKind = "a word" | "in a word" | "between words";

function kindOf(character: string): CharacterKind {
  if (wordsOf(character).length === 0) return "between words";
  return isUnspaced(character) ? "a word" : "in a word";
}

function joinedIn(text: string): Set<string> {
  const joined = new Set<string>();
  for (const [whole] of text.matchAll(JOINED)) {
    const words = whole.toLowerCase().split(MARK);
    for (let count = 2; count <= words.length; count++)
      joined.add(joinedWord(words.slice(0, count)));
  }
  return joined;
}

/** One word for the index, which is in no text: there, a border is taken for a space. */
function joinedWord(words: readonly string[]): string {
  return words.join(BORDER);
}
