import { wordsOf } from "@agate/spans/search";

export const SPACE = 0x20;
/** How many characters it has. */
export const ASCII = 128;

/** What each character of ASCII is in a word, by its code; 0 where it stands between words. */
export const FOLDED = Uint8Array.from({ length: ASCII }, (_, code) => {
  const [word = "\0"] = wordsOf(String.fromCharCode(code));
  return word.charCodeAt(0);
});

/**
 * The words of texts as {@link wordsOf} has them, each between spaces: a phrase is found as a text with spaces around
 * it. Two spaces stand between two texts.
 *
 * @example wordsText(["Order 7-42", "--", "Crème"]) // " order 7 42  creme "
 */
export function wordsText(texts: readonly string[]): string {
  return texts.map(spacedWords).join("");
}

/** The words of one text, each between spaces; empty where there is none. */
export function spacedWords(text: string): string {
  return asciiWords(text) ?? anyWords(text);
}

/** Most texts are ASCII, whose words need no pattern to be found; null for others. */
function asciiWords(text: string): string | null {
  const { length } = text;
  const bytes = Buffer.allocUnsafe(length + 2);
  // Room for as many bytes as characters: a character beyond ASCII takes more, and is seen or left out.
  if (bytes.write(text, 1, length, "utf8") !== length) return null;
  bytes[0] = SPACE;
  // Words are never longer than the text they are from, and are written over it.
  let end = 1;
  let last = SPACE;
  for (let at = 1; at <= length; at++) {
    const code = bytes[at]!;
    if (code >= ASCII) return null;
    const folded = FOLDED[code]!;
    if (folded !== 0) bytes[end++] = last = folded;
    else if (last !== SPACE) bytes[end++] = last = SPACE;
  }
  if (end === 1) return "";
  if (last !== SPACE) bytes[end++] = SPACE;
  return bytes.toString("latin1", 0, end);
}

function anyWords(text: string): string {
  const words = wordsOf(text);
  return words.length === 0 ? "" : ` ${words.join(" ")} `;
}
