import type { Buffer } from "node:buffer";
import type { RedactionPattern } from "@agate/protocol";
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
export function hasDigitSuspect(
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
