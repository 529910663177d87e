import { Buffer } from "node:buffer";
import type { RedactionSigns } from "@agate/spans/redaction";
import { hasDigitSuspect } from "./digit-suspects.ts";

/** How JSON may write any ASCII character, from U+0020 on: `\u0040`. */
const ESCAPE = "\\u00";

/** More that must be there at signs which ids and other bytes have all the time. */
const CONDITIONS: Readonly<Record<string, (bytes: Buffer, at: number) => boolean>> = {
  "@": mayBeAddress,
  yJ: (bytes, at) => bytes[at - 1] === LETTER_E,
  [ESCAPE]: (bytes, at) => "234567".includes(String.fromCharCode(bytes[at + ESCAPE.length] ?? 0)),
};
const LETTER_E = 101;
const DOT = 46;
const SIGNS_BEFORE_AT = new Set(Buffer.from("._%+'-"));

/** Whether there is a name before an @, and a domain with a dot after it. */
function mayBeAddress(bytes: Buffer, at: number): boolean {
  const before = bytes[at - 1] ?? 0;
  if (!isWord(before) && !SIGNS_BEFORE_AT.has(before)) return false;
  let end = at + 1;
  while (isWord(bytes[end] ?? 0)) end++;
  return end > at + 1 && bytes[end] === DOT;
}

/** A letter, a digit, a sign inside of words, or a byte of a letter of another language. */
function isWord(byte: number): boolean {
  const lower = byte | 32;
  return (
    (lower >= 97 && lower <= 122) ||
    (byte >= 48 && byte <= 57) ||
    byte === 45 ||
    byte === 95 ||
    byte >= 128
  );
}

/**
 * Finds the parts of a request that may hold something to redact, by the bytes alone: most parts hold
 * nothing, and need not be read as text. Each sign is searched for once over all bytes.
 */
export class SuspectScan {
  readonly #bytes: Buffer;
  readonly #signs: RedactionSigns;
  readonly #texts: readonly string[];
  /** Where each text is found next; the length of the bytes where it is not. */
  readonly #places: number[];
  /** The first of these places. */
  #nearest: number;

  constructor(bytes: Buffer, signs: RedactionSigns) {
    this.#bytes = bytes;
    this.#signs = signs;
    this.#texts = [ESCAPE, ...signs.texts];
    this.#places = this.#texts.map((text) => this.#find(text, 0));
    this.#nearest = Math.min(...this.#places);
  }

  /** Whether there may be something in this part. Parts must be asked for in their order. */
  isSuspect(start: number, end: number): boolean {
    const { anything, digits } = this.#signs;
    if (anything) return true;
    if (this.#nearest < start) this.#goTo(start);
    if (this.#nearest < end) return true;
    return digits.length > 0 && hasDigitSuspect(this.#bytes, start, end, digits);
  }

  #goTo(start: number): void {
    for (const [index, text] of this.#texts.entries()) {
      if ((this.#places[index] as number) < start) this.#places[index] = this.#find(text, start);
    }
    this.#nearest = Math.min(...this.#places);
  }

  #find(text: string, from: number): number {
    const condition = CONDITIONS[text];
    let at = this.#bytes.indexOf(text, from);
    while (at >= 0 && condition !== undefined && !condition(this.#bytes, at)) {
      at = this.#bytes.indexOf(text, at + 1);
    }
    return at < 0 ? this.#bytes.length : at;
  }
}
