import { shownValue } from "../shown-value.ts";

const LONGEST = 64;

/** What an id begins with, by the kind of thing it names. */
export const ID_PREFIXES = ["app", "var", "env", "dep", "bld", "prj", "key", "tst", "run"] as const;
export type IdPrefix = (typeof ID_PREFIXES)[number];
/** Characters of an id after its prefix and `_`. */
export const ID_LENGTH = 20;

const ID_BEGINNING = `(?:${ID_PREFIXES.join("|")})_[^/]{${ID_LENGTH}}`;
const BEGINS_AS_ID = new RegExp(`^${ID_BEGINNING}`);

/** A slug of any length, as part of a regular expression. */
export const SLUG_SOURCE = `(?!${ID_BEGINNING})[a-z0-9]+(?:[-_.][a-z0-9]+)*`;

/** A slug, as JSON Schema. */
export const SLUG_SCHEMA = {
  pattern: `^${SLUG_SOURCE}$`,
  maxLength: LONGEST,
} as const;
const SLUG = new RegExp(SLUG_SCHEMA.pattern);

/** Whether a text has the form of an id. Such a text is never a slug. */
export function looksLikeId(text: string): boolean {
  return BEGINS_AS_ID.test(text);
}

export function isSlug(text: string): boolean {
  return text.length <= LONGEST && SLUG.test(text);
}

/** Why a text is not a slug; undefined for a valid slug. */
export function slugFault(text: string): string | undefined {
  if (isSlug(text)) return undefined;
  if (text === "") return "it is empty.";
  if (text.length > LONGEST) return `it has more than ${LONGEST} characters.`;
  if (looksLikeId(text)) return "it looks like an id. Choose one that does not begin like this.";
  const nearest = nearestSlug(text);
  const example = nearest === undefined ? "" : `, such as ${shownValue(nearest)}`;
  return `use lower-case letters and digits, with single "-", "_" or "." between them${example}.`;
}

/** The slug that is most like a text; undefined where it has no letter and no digit. */
export function nearestSlug(text: string): string | undefined {
  const words =
    text
      .normalize("NFKD")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const slug = words.join("-");
  return isSlug(slug) ? slug : undefined;
}
