import {
  type CustomPattern,
  isEmptyRedaction,
  REDACTION_PATTERNS,
  type RedactionPattern,
  type RedactionRules,
} from "@agate/protocol";
import { checkPattern } from "./custom-pattern.ts";
import { isCardNumber, SHORTEST_CARD } from "./find-cards.ts";
import { type Finder, replaceFound } from "./found.ts";
import { createKeyMatcher, type KeyMatcher } from "./key-matcher.ts";
import { READY_PATTERNS } from "./ready-patterns.ts";
import { redactJson } from "./redact-json.ts";
import { DIGITS, signExpression, signsOf } from "./signs.ts";

/** JSON inside JSON inside … deeper than this is searched as plain text. */
const DEEPEST_JSON = 8;

interface Replacement {
  readonly find: Finder;
  readonly text: string;
  /** Whether a text may have an occurrence at all. */
  readonly isSuspect: (text: string) => boolean;
}

/** Applies a project's redaction rules to texts and values. Holds no state but caches. */
export class Redactor {
  readonly keys: KeyMatcher;
  readonly isEmpty: boolean;
  readonly #replacements: readonly Replacement[];
  readonly #card: string | null;
  /** Most texts have nothing that it finds, and need no closer look. */
  readonly #sign: RegExp;

  /** @param rules Those that no current version knows are left out. */
  constructor(rules: RedactionRules) {
    this.isEmpty = isEmptyRedaction(rules);
    this.keys = createKeyMatcher(rules.keys);
    const ready = REDACTION_PATTERNS.filter((name) => rules.patterns.includes(name));
    this.#replacements = [
      ...ready.map(readyReplacement),
      ...rules.custom.flatMap(customReplacement),
    ];
    this.#sign = signExpression(signsOf(rules));
    this.#card = ready.includes("card") ? markOf("card") : null;
  }

  /** A text without what the rules hide. The same text where they hide nothing. */
  text(text: string, base: readonly string[] = []): string {
    return this.#text(text, base, DEEPEST_JSON);
  }

  /** What is kept of a whole number in place of its digits; null where it may stay. */
  number(digits: string): string | null {
    return this.#card !== null && digits.length >= SHORTEST_CARD && isCard(digits)
      ? this.#card
      : null;
  }

  #text(text: string, base: readonly string[], depth: number): string {
    if (this.isEmpty || !this.#sign.test(text)) return text;
    let kept = text;
    if (depth > 0 && text.includes('"')) {
      kept = redactJson(text, {
        hides: (path) => this.keys.hides(path) || this.keys.hides([...base, ...path]),
        text: (inner) => this.#text(inner, [], depth - 1),
        key: (name) => this.#text(name, [], depth - 1),
        number: (digits) => this.number(digits),
      });
    }
    // Also after that: not every text with quotes in it is JSON.
    for (const { find, text: mark, isSuspect } of this.#replacements) {
      if (isSuspect(kept)) kept = replaceFound(kept, find, mark);
    }
    return kept;
  }
}

function isCard(digits: string): boolean {
  return /^\d{13,19}$/.test(digits) && isCardNumber(digits);
}

function readyReplacement(name: RedactionPattern): Replacement {
  const { find, signs } = READY_PATTERNS[name];
  const isSuspect =
    signs === "digits"
      ? (text: string) => DIGITS.test(text)
      : (text: string) => signs.some((sign) => text.includes(sign));
  return { find, text: markOf(name), isSuspect };
}

function customReplacement({ name, regex }: CustomPattern): Replacement[] {
  const checked = checkPattern(regex);
  if (checked.kind === "refused") return [];
  const { find, sign } = checked;
  const isSuspect = (text: string) => sign === null || text.includes(sign);
  return [{ find, text: markOf(name), isSuspect }];
}

function markOf(name: string): string {
  return `[redacted:${name}]`;
}
