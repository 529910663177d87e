import { wordsOf } from "./words-of.ts";

const SPACE = 0x20;
const ASCII = 128;

/** What each character of ASCII is in a word, by its code; 0 where it stands between words. */
const FOLDED = Uint8Array.from({ length: ASCII }, (_, code) => {
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
  const bytes = Buffer.allocUnsafe(text.length + 2);
  bytes[0] = SPACE;
  let end = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= ASCII) return null;
    const folded = FOLDED[code]!;
    if (folded !== 0) bytes[end++] = folded;
    else if (bytes[end - 1] !== SPACE) bytes[end++] = SPACE;
  }
  if (end === 1) return "";
  if (bytes[end - 1] !== SPACE) bytes[end++] = SPACE;
  return bytes.toString("latin1", 0, end);
}

function anyWords(text: string): string {
  const words = wordsOf(text);
  return words.length === 0 ? "" : ` ${words.join(" ")} `;
}
