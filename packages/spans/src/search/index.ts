// The door @agate/spans/search: the words that a span is found by, in every store and on the page.
export type { SearchTerm } from "./search-text.ts";
export {
  BORDER,
  distinctTerms,
  hasUnspaced,
  isUnspaced,
  parseSearch,
  searchableTexts,
  toIndexedText,
} from "./search-text.ts";
export { wordsOf } from "./words-of.ts";
