import { Buffer } from "node:buffer";
import type { RedactionPattern } from "@agate/protocol";
import type { RedactionSigns } from "@agate/spans/redaction";
import { containsIban, isCardNumber, LONGEST_CARD, SHORTEST_CARD } from "@agate/spans/redaction";

/** Digits that a phone number, an IBAN or a card number has at least, in a row with separators. */
const FEWEST_DIGITS = 8;
/** A run of more digits is looked at as text, which takes less time. */
const MOST_DIGITS = 200;
/** An IBAN may reach this far to either side of its longest run of digits. */
const IBAN_REACH = 40;

const OTHER = 0;
const DIGIT = 1;
const SEPARATOR = 2;
/** What each byte is within a number. */
const KINDS = new Uint8Array(256);
for (let digit = 48; digit <= 57; digit++) KINDS[digit] = DIGIT;
for (const separator of " -.()/+") KINDS[separator.charCodeAt(0)] = SEPARATOR;

/**
 * Whether a part of a request may hold a card number, a phone number or an IBAN, in text or in JSON
 * inside of text. Looks at every eighth byte: each of them has eight digits or more.
 */
function hasDigitSuspect(
  bytes: Buffer,
  start: number,
  end: number,
  patterns: readonly RedactionPattern[],
): boolean {
  for (let at = start + FEWEST_DIGITS - 1; at < end; at += FEWEST_DIGITS) {
    const here = KINDS[bytes[at] as number];
    if (here === OTHER) continue;
    // Most often a space between two words.
    if (here === SEPARATOR && !isNumeric(bytes[at - 1]) && !isNumeric(bytes[at + 1])) continue;
    let first = at;
    while (first > start && KINDS[bytes[first - 1] as number] !== OTHER) first--;
    let digits = 0;
    let last = first;
    for (; last < end; last++) {
      const kind = KINDS[bytes[last] as number];
      if (kind === OTHER) break;
      if (kind === DIGIT) digits++;
    }
    if (digits >= FEWEST_DIGITS && isSuspectRun(bytes, first, last, digits, patterns)) return true;
    if (last > at) at = last;
  }
  return false;
}

function isNumeric(byte: number | undefined): boolean {
  return byte !== undefined && KINDS[byte] !== OTHER;
}

// Bytes right before and after a text belong to the encoding, and may look like letters or digits: what
// is around a number says nothing here. What is found is looked at again, as text.
function isSuspectRun(
  bytes: Buffer,
  first: number,
  last: number,
  digits: number,
  patterns: readonly RedactionPattern[],
): boolean {
  if (digits > MOST_DIGITS) return true;
  const run = bytes.toString("latin1", first, last);
  for (const pattern of patterns) {
    if (pattern === "phone" && PHONE.test(run)) return true;
    if (pattern === "card" && digits >= SHORTEST_CARD && containsCard(run)) return true;
    if (pattern === "iban" && followsLetter(bytes, first)) {
      const from = Math.max(0, first - IBAN_REACH);
      if (containsIban(bytes.toString("latin1", from, last + IBAN_REACH))) return true;
    }
  }
  return false;
}

const PHONE = /\+[1-9](?:[ .\-/()]{0,2}\d){7}|[2-9]\d{2}[ .)-]{1,2}[2-9]\d{2}[ .-]\d{4}/;

function containsCard(run: string): boolean {
  const digits = run.replaceAll(/\D/g, "");
  for (let first = 0; first + SHORTEST_CARD <= digits.length; first++) {
    for (let length = SHORTEST_CARD; length <= LONGEST_CARD; length++) {
      if (first + length <= digits.length && isCardNumber(digits.slice(first, first + length))) {
        return true;
      }
    }
  }
  return false;
}

function followsLetter(bytes: Buffer, first: number): boolean {
  const lower = (bytes[first - 1] ?? 0) | 32;
  return lower >= 97 && lower <= 122;
}

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
