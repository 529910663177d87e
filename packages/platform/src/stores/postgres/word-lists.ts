import { createHash } from "node:crypto";
import type { SearchTerm } from "@agate/spans/search";
import { BORDER } from "@agate/spans/search";

/** Characters of one list, with up to three bytes each: a vector of its words takes less than 1 MB. */
const LIST_CHARACTERS = 200_000;
/** A longer word is cut here, and goes on with a hash of it: a vector takes words of less than 2 KB. */
const LONGEST_WORD = 300;
/** The number of words that consecutive parts share, so that a phrase across the border is found. */
const OVERLAP = 64;
const LONG_WORD = new RegExp(`[^ ]{${LONGEST_WORD + 1},}`, "g");

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

/** @param texts The words of each text, between spaces; none is empty. */
export function toWordLists(texts: readonly string[]): WordLists {
  const whole: WordList[] = [];
  const parts: WordList[] = [];
  let list = BORDER;
  for (const words of texts) {
    const text = withShortWords(words);
    if (text.length > LIST_CHARACTERS) {
      for (const part of partsOf(text)) parts.push(part);
      continue;
    }
    if (list !== BORDER && list.length + text.length > LIST_CHARACTERS) {
      whole.push(list);
      list = BORDER;
    }
    list += text + BORDER;
  }
  if (list !== BORDER) whole.push(list);
  return { whole, parts };
}

/** The parts of a text that is too long for one list. */
function partsOf(text: string): WordList[] {
  const words = text.trim().split(" ");
  const parts: WordList[] = [];
  for (let from = 0; ; ) {
    let end = from;
    for (let room = LIST_CHARACTERS; end < words.length && room > 0; end++) {
      room -= (words[end] as string).length + 1;
    }
    parts.push(`${BORDER} ${words.slice(from, end).join(" ")} ${BORDER}`);
    if (end === words.length) return parts;
    from = end - OVERLAP;
  }
}

/** @param words With spaces around them. */
function withShortWords(words: string): string {
  const most = LONGEST_WORD + 1;
  for (let at = 0; at + most < words.length; ) {
    const next = words.lastIndexOf(" ", at + most);
    if (next === at) return words.replace(LONG_WORD, (word) => shortened(word, BORDER));
    at = next;
  }
  return words;
}

/** What a term of a search looks for. */
export interface SearchQuery {
  /** In a list of whole texts. */
  readonly whole: ListQuery;
  /** Each of these must be in some part of a longer text. */
  readonly parts: readonly ListQuery[];
  /** False for a beginning that is longer than what is stored of a word: records tell which of the found have it. */
  readonly isExact: boolean;
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
  const { words, isPrefix } = term;
  const isExact = !isPrefix || (words.at(-1) ?? "").length <= LONGEST_WORD;
  return { whole: toListQuery(term), parts: windows(term).map(toListQuery), isExact };
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
