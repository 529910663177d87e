import { AGATE_ATTRIBUTES, type ListedSpan } from "@agate/protocol";

/** Invisible characters, and those that reorder text: control characters, direction marks. */
const UNSEEN = /[\p{Cc}\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/gu;

/** Laying out a name of a megabyte would block the page. */
const LONGEST = 500;

/**
 * A recorded name for display. Invisible characters are spelled out, so that two different names never
 * look the same.
 *
 * @example shownName("a\u202Eb") // "a⟨202E⟩b"
 */
export function shownName(name: string): string {
  if (name.trim() === "") return name === "" ? "(no name)" : "(blank name)";
  const short = name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name;
  return short.toWellFormed().replace(UNSEEN, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
    // A zero-width joiner belongs to many emoji.
    return character === "\u200D" ? character : `⟨${code}⟩`;
  });
}

/** The revision whose values a playground call edited, such as `default@3`; null for other spans. */
export function editedFrom({ metadata }: Pick<ListedSpan, "metadata">): string | null {
  const from = metadata.attributes[AGATE_ATTRIBUTES.editedFrom];
  return typeof from === "string" && from !== "" ? from : null;
}
