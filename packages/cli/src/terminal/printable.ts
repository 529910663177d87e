import { stripVTControlCharacters } from "node:util";

/**
 * What moves the cursor, rings, or turns the writing around: C0, DEL and C1 without tab and line
 * feed, the line separators, and the marks that override the direction of the letters.
 */
const UNPRINTABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * Untrusted text, safe to print: recorded content and server messages may hold escape sequences that
 * rewrite the screen or the window's title. Line breaks and tabs stay.
 *
 * @example printableText("\u001b[31mred\u001b[0m\n") // "red\n"
 */
export function printableText(text: string): string {
  return stripVTControlCharacters(text.replaceAll("\r\n", "\n")).replaceAll(UNPRINTABLE, "");
}

/** The same on one line: every run of white space is one space. */
export function printableLine(text: string): string {
  return printableText(text).replaceAll(/\s+/g, " ").trim();
}

/** JSON that means the same, with what a terminal might obey written as escapes. */
export function printableJson(json: string): string {
  // Outside of strings JSON has none of these but CR, and CR stays white space as a line feed.
  return json
    .replaceAll("\r", "\n")
    .replaceAll(
      UNPRINTABLE,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}
