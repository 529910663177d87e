import { type Finder, isAlphanumeric, isDigit } from "./found.ts";

export const SHORTEST_CARD = 13;
export const LONGEST_CARD = 19;
const SPACE = 32;
const DASH = 45;
const DOT = 46;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/** At least as many digits as a card has, with at most one space or dash between two. */
const LONG_RUN = /\d(?:[ -]?\d){12}/g;

/**
 * Finds card numbers: 13 to 19 digits with single spaces or dashes between them, with the first digits
 * of a card network, its length, and a valid check digit. Times, ids and UUIDs are none: the numbers
 * of Unix times begin with 1, and no network's do.
 */
export const findCards: Finder = (text, report) => {
  LONG_RUN.lastIndex = 0;
  for (let hit = LONG_RUN.exec(text); hit !== null; hit = LONG_RUN.exec(text)) {
    const end = findInRun(text, hit.index, report);
    LONG_RUN.lastIndex = end;
  }
};

/** Finds the card numbers of the run of digits that begins at `from`. @returns The run's end. */
function findInRun(text: string, from: number, report: (start: number, end: number) => void) {
  const { digits, places, end } = readRun(text, from);
  const isInUuid = uuidTest(text, from, end);
  // Each number begins and ends where a group of digits does: "order 12 4111 1111 1111 1111".
  const isGroupStart = (i: number) => i === 0 || places[i - 1] !== (places[i] as number) - 1;
  const isGroupEnd = (i: number) => i === places.length - 1 || isGroupStart(i + 1);
  for (let first = 0; first + SHORTEST_CARD <= digits.length; first++) {
    if (!isGroupStart(first) || !canStart(text, places[first] as number)) continue;
    for (let length = LONGEST_CARD; length >= SHORTEST_CARD; length--) {
      const last = first + length - 1;
      if (last >= digits.length || !isGroupEnd(last)) continue;
      const [start, stop] = [places[first] as number, (places[last] as number) + 1];
      if (!canEnd(text, stop) || isInUuid(start, stop)) continue;
      if (!isCardNumber(digits.slice(first, last + 1))) continue;
      report(start, stop);
      first = last;
      break;
    }
  }
  return end;
}

function readRun(text: string, from: number) {
  const places: number[] = [];
  let digits = "";
  let at = from;
  while (isDigit(text.charCodeAt(at))) {
    places.push(at);
    digits += text[at];
    const next = text.charCodeAt(at + 1);
    at += (next === SPACE || next === DASH) && isDigit(text.charCodeAt(at + 2)) ? 2 : 1;
  }
  return { digits, places, end: at };
}

// Not the decimals of a fraction, nor a part of a word.
function canStart(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1);
  if (before === DOT) return !isDigit(text.charCodeAt(start - 2));
  return !isAlphanumeric(before);
}

function canEnd(text: string, end: number): boolean {
  const after = text.charCodeAt(end);
  if (after === DOT) return !isDigit(text.charCodeAt(end + 1));
  return !isAlphanumeric(after);
}

function uuidTest(text: string, from: number, to: number) {
  const begin = Math.max(0, from - 36);
  const uuids = [...text.slice(begin, to + 36).matchAll(UUID)].map(({ index }) => begin + index);
  return (start: number, end: number) =>
    uuids.some((uuid) => start < uuid + 36 && uuid < end && uuid <= start && end <= uuid + 36);
}

/** Whether digits are a card number: a network's first digits and length, and Luhn's check digit. */
export function isCardNumber(digits: string): boolean {
  return hasIssuer(digits) && isLuhnValid(digits);
}

// Visa; Mastercard and Maestro; American Express, Diners Club and JCB; Discover, UnionPay and Maestro.
function hasIssuer(digits: string): boolean {
  const { length } = digits;
  switch (digits[0]) {
    case "4":
      return length === 13 || length === 16 || length === 19;
    case "5":
    case "6":
      return true;
    case "3":
      return digits[1] === "4" || digits[1] === "7" ? length === 15 : length >= 14;
    case "2": {
      const prefix = Number(digits.slice(0, 4));
      return length === 16 && ((prefix >= 2200 && prefix <= 2204) || isSeries2(prefix));
    }
    default:
      return false;
  }
}

// Mastercard's newer range.
function isSeries2(prefix: number): boolean {
  return prefix >= 2221 && prefix <= 2720;
}

function isLuhnValid(digits: string): boolean {
  let sum = 0;
  for (let i = digits.length - 1, isDoubled = false; i >= 0; i--, isDoubled = !isDoubled) {
    const digit = digits.charCodeAt(i) - 48;
    const doubled = digit * 2;
    sum += isDoubled ? (doubled > 9 ? doubled - 9 : doubled) : digit;
  }
  return sum % 10 === 0;
}
