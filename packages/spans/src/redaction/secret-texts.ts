import type { SpanRedactor } from "./redact-spans.ts";
import { TextAutomaton } from "./text-automaton.ts";

/** A secret by its name, for the mark that replaces its value. */
export interface NamedSecret {
  readonly name: string;
  readonly value: string;
}

/** A shorter value would be found inside ordinary words. */
const SHORTEST_SECRET = 8;
/** They stand in every span, and a variable such as `NODE_ENV` may have one as its value. */
const PUBLIC_VALUES: readonly string[] = ["production", "staging", "development"];
/** Characters of all forms together. What comes after the usual forms is left out beyond it. */
const MOST_CHARACTERS = 3 * 1024 ** 2;

/**
 * Replaces the values of secrets in texts by `[secret:NAME]`, in time that grows with the text alone:
 * each line of a value too, and as JSON, URLs and basic authentication write them.
 */
export class SecretTexts implements SpanRedactor {
  readonly keys = NO_KEYS;
  readonly #automaton: TextAutomaton | null;
  /** Characters of the longest form: a text that is cut may end inside it. */
  readonly longest: number;

  constructor(secrets: readonly NamedSecret[]) {
    const marks = new Map<string, string>();
    let characters = 0;
    const add = (form: string, name: string) => {
      if (form.length < SHORTEST_SECRET || marks.has(form)) return;
      if (characters + form.length > MOST_CHARACTERS) return;
      characters += form.length;
      marks.set(form, `[secret:${name}]`);
    };
    // All values as they are, before other forms of any.
    const forms = secrets.flatMap(({ name, value }) =>
      textsOf(value).map((text) => ({ name, text })),
    );
    for (const { name, text } of forms) add(text, name);
    for (const write of WRITINGS) {
      for (const { name, text } of forms) {
        // No form is shorter than its text: one without room is not worth writing.
        if (characters + text.length <= MOST_CHARACTERS) add(write(text), name);
      }
    }
    this.#automaton = marks.size === 0 ? null : new TextAutomaton([...marks]);
    this.longest = Math.max(0, ...[...marks.keys()].map((form) => form.length));
  }

  /** Whether it replaces nothing. */
  get isEmpty(): boolean {
    return this.#automaton === null;
  }

  /** The same text where it has no secret. */
  text(text: string): string {
    if (this.#automaton === null || text.length < SHORTEST_SECRET) return text;
    return this.#automaton.replace(text);
  }

  /** What is kept of a whole number in place of its digits; null where it may stay. */
  number(number: number | bigint): string | null {
    const digits = `${number}`;
    const kept = this.text(digits);
    return kept === digits ? null : kept;
  }

  mayHideValue(text: string): boolean {
    return this.text(text) !== text;
  }

  mayHideNamed(name: string): boolean {
    return this.mayHideValue(name);
  }
}

/** Secrets are hidden by their values alone. */
const NO_KEYS: SpanRedactor["keys"] = { hidesAttribute: () => false, hidesBelow: () => false };

/**
 * A value, and its lines if it has several. None that is short, although one of its forms may not be: a line that is
 * a quotation mark is eight characters in JSON in JSON in JSON, and found at the end of other texts.
 */
function textsOf(value: string): string[] {
  const whole = value.trim();
  if (PUBLIC_VALUES.includes(whole)) return [];
  const texts = whole.includes("\n")
    ? [whole, ...whole.split("\n").map((line) => line.trim())]
    : [whole];
  return texts.filter((text) => text.length >= SHORTEST_SECRET);
}

/** How a text is written elsewhere, the most usual first. */
const WRITINGS: readonly ((text: string) => string)[] = [
  escaped,
  percentEncoded,
  // In a form's body: spaces are "+", and more characters are escaped.
  (text) =>
    percentEncoded(text)
      .replaceAll("%20", "+")
      .replace(/[!'()~]/g, percent),
  // An attribute may be JSON with JSON in it, with JSON in it.
  (text) => escaped(escaped(text)),
  (text) => escaped(escaped(escaped(text))),
  (text) => escaped(escaped(escaped(escaped(text)))),
  // util.inspect's.
  (text) => text.replaceAll("'", "\\'"),
  base64,
];

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Of the text in UTF-8. By hand: not every runtime of this package has a function for it. */
function base64(text: string): string {
  const bytes = percentEncoded(text).replace(/%(..)/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  let encoded = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const missing = Math.max(0, at + 3 - bytes.length);
    const byte = (offset: number) => (offset < 3 - missing ? bytes.charCodeAt(at + offset) : 0);
    const bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
    for (let shift = 18; shift >= 6 * missing; shift -= 6) encoded += BASE64[(bits >> shift) & 63];
    encoded += "=".repeat(missing);
  }
  return encoded;
}
