/** Characters that one cannot see, or that turn the text around them: controls, marks of direction. */
const UNSEEN = /[\p{Cc}\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/gu;

/** More nobody reads on one line, and laying out a megabyte of it takes long. */
const LONGEST = 500;

/**
 * A recorded name as it is shown: what cannot be seen is written out, so that no name looks like
 * another or like none.
 *
 * @example shownName("a\u202Eb") // "a⟨202E⟩b"
 */
export function shownName(name: string): string {
  if (name.trim() === "") return name === "" ? "(no name)" : "(blank name)";
  const short = name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name;
  return short.toWellFormed().replace(UNSEEN, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
    // A zero-width joiner inside of an emoji is what makes it one.
    return character === "\u200D" ? character : `⟨${code}⟩`;
  });
}
