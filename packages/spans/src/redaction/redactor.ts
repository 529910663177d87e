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
import { TextScan } from "./text-scan.ts";

/** JSON inside JSON inside … deeper than this is searched as plain text. */
const DEEPEST_JSON = 8;

/** The smallest number with as many digits as a card number has. */
export const LEAST_CARD = 10 ** (SHORTEST_CARD - 1);

/** Longer names and values are looked at anew. */
const LONGEST_KNOWN = 48;
const MOST_KNOWN = 10_000;

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
  readonly #scan: TextScan;
  // Names and short values come again with every span.
  readonly #plainNames = new Set<string>();
  readonly #plainValues = new Set<string>();

  /** @param rules Those that no current version knows are left out. */
  constructor(rules: RedactionRules) {
    this.isEmpty = isEmptyRedaction(rules);
    this.keys = createKeyMatcher(rules.keys);
    const ready = REDACTION_PATTERNS.filter((name) => rules.patterns.includes(name));
    this.#replacements = [
      ...ready.map(readyReplacement),
      ...rules.custom.flatMap(customReplacement),
    ];
    this.#scan = new TextScan(rules);
    this.#card = ready.includes("card") ? markOf("card") : null;
  }

  /** Whether something may be hidden of an attribute's value, found fast: nothing is of most. */
  mayHideValue(text: string): boolean {
    // Not the hash of a long text, which takes as long.
    if (text === "" || (text.length <= LONGEST_KNOWN && this.#plainValues.has(text))) return false;
    if (this.#mayHide(text)) return true;
    keep(this.#plainValues, text);
    return false;
  }

  /** Whether something may be hidden of an attribute for its name, or of the name itself. */
  mayHideNamed(name: string): boolean {
    if (this.#plainNames.has(name)) return false;
    if (this.keys.hidesAttribute(name) || this.#mayHide(name)) return true;
    keep(this.#plainNames, name);
    return false;
  }

  #mayHide(text: string): boolean {
    return !this.isEmpty && this.#scan.mayHold(text);
  }

  /**
   * A text without what the rules hide. The same text where they hide nothing.
   *
   * @param name Of the attribute whose value it is: the first steps of the paths in it.
   */
  text(text: string, name: string | null = null): string {
    return this.mayHideValue(text) ? this.#text(text, name, DEEPEST_JSON) : text;
  }

  /** What is kept of a whole number in place of its digits; null where it may stay. */
  number(number: number | bigint): string | null {
    return number < LEAST_CARD ? null : this.#number(`${number}`);
  }

  #number(digits: string): string | null {
    return this.#card !== null && digits.length >= SHORTEST_CARD && isCard(digits)
      ? this.#card
      : null;
  }

  /** Of a text or name in JSON. */
  #inner(text: string, depth: number): string {
    return this.mayHideValue(text) ? this.#text(text, null, depth) : text;
  }

  /** With the exact rules, which take their time. */
  #text(text: string, name: string | null, depth: number): string {
    let kept = text;
    if (depth > 0 && text.includes('"')) {
      const base = name?.split(".") ?? [];
      kept = redactJson(text, {
        hides: (path) => this.keys.hidesBelow(base, path),
        text: (inner) => this.#inner(inner, depth - 1),
        key: (key) => this.#inner(key, depth - 1),
        number: (digits) => this.#number(digits),
      });
    }
    // Also after that: not every text with quotes in it is JSON.
    for (const { find, text: mark, isSuspect } of this.#replacements) {
      if (isSuspect(kept)) kept = replaceFound(kept, find, mark);
    }
    return kept;
  }
}

// They may come from users' data: a table must not grow with them.
function keep(known: Set<string>, text: string): void {
  if (text.length > LONGEST_KNOWN) return;
  if (known.size >= MOST_KNOWN) known.clear();
  known.add(text);
}

// A minus is none of its digits: what is left of them as text would be no JSON.
function isCard(number: string): boolean {
  const [, digits] = /^-?(\d{13,19})$/.exec(number) ?? [];
  return digits !== undefined && isCardNumber(digits);
}

function readyReplacement(name: RedactionPattern): Replacement {
  const { find, sign } = READY_PATTERNS[name];
  const expression = sign === "digits" ? DIGITS : new RegExp(sign);
  return { find, text: markOf(name), isSuspect: (text) => expression.test(text) };
}

/** Eight digits with at most two other characters between them. */
const DIGITS = /\d(?:\D{0,2}\d){7}/;

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
