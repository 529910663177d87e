import type { RedactionPattern, RedactionRules } from "@agate/protocol";
import { checkPattern } from "./custom-pattern.ts";
import { isCardNumber, LONGEST_CARD, SHORTEST_CARD } from "./find-cards.ts";
import { containsIban } from "./find-ibans.ts";
import { isLetter } from "./found.ts";
import { READY_PATTERNS } from "./ready-patterns.ts";

/** How JSON may write any ASCII character, from U+0020 on: `\u0040`. */
const ESCAPE = "\\\\u00[2-7]";

/**
 * Tells texts that hold nothing which rules hide from those that may hold something, also in JSON
 * inside of them, many times faster than looking for it. Most texts hold nothing.
 */
export class TextScan {
  /** Whether anything may be hidden: by a project's own pattern without a fixed beginning. */
  readonly #isBlind: boolean;
  readonly #sign: RegExp;
  /** Of which there is one wherever a project's own pattern could find something. */
  readonly #texts: readonly string[];
  /** Those of the patterns whose sign is a run of digits. */
  readonly #digits: readonly RedactionPattern[];
  readonly #names: NameScan;

  constructor({ keys, patterns, custom }: RedactionRules) {
    const isStep = (key: string) => /(?:^|\.)(?:\*|\d+)$/.test(key);
    const names = keys
      .filter((key) => !isStep(key))
      .map((key) => key.slice(key.lastIndexOf(".") + 1));
    const ready = patterns.filter((name) => READY_PATTERNS[name] !== undefined);
    const own = custom
      .map(({ regex }) => checkPattern(regex))
      .filter(({ kind }) => kind === "safe");
    const signs = own.map((checked) => (checked.kind === "safe" ? checked.sign : null));
    this.#isBlind = signs.includes(null);
    this.#texts = signs.filter((sign) => sign !== null);
    this.#digits = ready.filter((name) => READY_PATTERNS[name].sign === "digits");
    this.#names = new NameScan([...new Set(names)]);
    this.#sign = new RegExp(
      [
        // JSON may write what is not plain in a name as an escape.
        names.every((name) => /^[\w $-]+$/.test(name)) ? ESCAPE : "\\\\",
        // What has no name is hidden in any list or object.
        ...(keys.some(isStep) ? ["[{[]"] : []),
        ...ready.map((name) => READY_PATTERNS[name].sign).filter((sign) => sign !== "digits"),
      ].join("|"),
    );
  }

  mayHold(text: string): boolean {
    return (
      this.#isBlind ||
      this.#sign.test(text) ||
      (this.#digits.length > 0 && hasSuspectDigits(text, this.#digits)) ||
      this.#names.isIn(text) ||
      this.#texts.some((sign) => text.includes(sign))
    );
  }
}

/** A longer run of digits always counts as suspect. */
const MOST_DIGITS = 200;
/** An IBAN may reach this far to either side of its longest run of digits. */
const IBAN_REACH = 70;
/**
 * Digits of a phone number, an IBAN or a card number: eight or more, with what may be between them. JSON
 * may write a slash as `\/`, and JSON inside of JSON has more backslashes.
 */
const DIGITS = new RegExp(`\\d(?:[ ./()+\\\\-]{0,32}\\d){7,${MOST_DIGITS}}`, "g");
const PHONE = /\+[1-9](?:[ .\-/()]{0,2}\d){7}|[2-9]\d{2}[ .)-]{1,2}[2-9]\d{2}[ .-]\d{4}/;

// What is right before and after a number says nothing here: in JSON it may be the end of an escape.
function hasSuspectDigits(text: string, patterns: readonly RedactionPattern[]): boolean {
  DIGITS.lastIndex = 0;
  for (let run = DIGITS.exec(text); run !== null; run = DIGITS.exec(text)) {
    const { index, 0: found } = run;
    const digits = found.replaceAll(/\D/g, "");
    if (digits.length > MOST_DIGITS) return true;
    const end = index + found.length;
    for (const pattern of patterns) {
      if (pattern === "phone" && isSuspectPhone(text, index, end)) return true;
      if (pattern === "card" && containsCard(digits)) return true;
      if (pattern === "iban" && isSuspectIban(text, index, end)) return true;
    }
  }
  return false;
}

/** With the + that may be before it. */
function isSuspectPhone(text: string, start: number, end: number): boolean {
  return PHONE.test(text.slice(Math.max(0, start - 1), end).replaceAll("\\", ""));
}

function containsCard(digits: string): boolean {
  for (let first = 0; first + SHORTEST_CARD <= digits.length; first++) {
    for (let length = SHORTEST_CARD; length <= LONGEST_CARD; length++) {
      if (first + length <= digits.length && isCardNumber(digits.slice(first, first + length))) {
        return true;
      }
    }
  }
  return false;
}

function isSuspectIban(text: string, start: number, end: number): boolean {
  const before = text[start - 1] === " " ? start - 2 : start - 1;
  if (!isLetter(text.charCodeAt(before))) return false;
  return containsIban(text.slice(Math.max(0, start - IBAN_REACH), end + IBAN_REACH));
}

const QUOTE = 34;
const BACKSLASH = 92;

/** Finds the names of members in JSON. It only looks where a colon is. */
class NameScan {
  readonly #isEmpty: boolean;
  /** Names by the code of their last character, up to 127; all others are in the last place. */
  readonly #byLast: readonly (readonly string[])[];

  constructor(names: readonly string[]) {
    this.#isEmpty = names.length === 0;
    const byLast: string[][] = Array.from({ length: 129 }, () => []);
    for (const name of names) byLast[placeOf(name.charCodeAt(name.length - 1))]?.push(name);
    this.#byLast = byLast;
  }

  isIn(text: string): boolean {
    if (this.#isEmpty) return false;
    for (let at = text.indexOf(":"); at > 0; at = text.indexOf(":", at + 1)) {
      let last = beforeSpace(text, at);
      if (text.charCodeAt(last) !== QUOTE) continue;
      // JSON inside of JSON has backslashes before its quotes.
      do last--;
      while (text.charCodeAt(last) === BACKSLASH);
      for (const name of this.#byLast[placeOf(text.charCodeAt(last))] ?? []) {
        if (endsAt(text, last, name)) return true;
      }
    }
    return false;
  }
}

// A loop, since most names differ in one of their last letters, and a call of endsWith takes longer.
function endsAt(text: string, last: number, name: string): boolean {
  const before = last - name.length + 1;
  for (let i = name.length - 1; i >= 0; i--) {
    if (text.charCodeAt(before + i) !== name.charCodeAt(i)) return false;
  }
  return true;
}

function placeOf(code: number): number {
  return Math.min(code, 128);
}

/** Where the last character before white space is, which JSON inside of JSON may write as `\n`. */
function beforeSpace(text: string, at: number): number {
  let last = at - 1;
  for (;;) {
    const length = text.charCodeAt(last) === QUOTE ? 0 : spaceLength(text, last);
    if (length === 0) return last;
    last -= length;
  }
}

function spaceLength(text: string, last: number): number {
  const code = text.charCodeAt(last);
  if (code <= 32 || code === BACKSLASH) return 1;
  if (code >= 128) return /\s/.test(text[last] as string) ? 1 : 0;
  // Never a colon: to go back over other colons from each of them would take quadratic time.
  if (text.charCodeAt(last - 1) === BACKSLASH) return /[bfnrt]/.test(text[last] as string) ? 2 : 0;
  if (!text.startsWith("\\u", last - 5)) return 0;
  return /^[\da-f]{4}$/i.test(text.slice(last - 3, last + 1)) ? 6 : 0;
}
