import { type PathFilter, REDACTED } from "./hidden-keys.ts";

export interface JsonRedaction {
  /** Where the JSON is. */
  readonly path: readonly string[];
  readonly hides: PathFilter;
  /** What is shown of a text inside it. */
  inside(text: string, path: readonly string[]): string;
  /** Likewise of a text that the end has cut, escaped as it is. */
  unread(text: string): string;
}

type Expected = "value" | "item" | "key" | "first-key" | "colon" | "comma" | "end";

const SPACE = /\s*/y;
const SCALAR = /-?\d[\d.eE+-]*|true|false|null/y;
const SCALAR_START = /[-+.\w]*$/y;

/**
 * JSON, or the beginning of it, without what is hidden; null where the text is neither. Everything
 * else stays as it was written, numbers beyond 2^53 and white space included.
 */
export function redactJson(text: string, redaction: JsonRedaction): string | null {
  const first = text.charCodeAt(endOfSpace(text, 0));
  const isNested = first === 0x7b || first === 0x5b || first === 0x22;
  return isNested ? new JsonText(text, redaction).shown() : null;
}

class JsonText {
  readonly #text: string;
  readonly #redaction: JsonRedaction;
  readonly #path: string[];
  /** What is open, outermost first. */
  readonly #open: ("{" | "[")[] = [];
  #expected: Expected = "value";
  #at = 0;
  #shown = "";
  /** Up to where the text is in `#shown`. */
  #kept = 0;

  constructor(text: string, redaction: JsonRedaction) {
    this.#text = text;
    this.#redaction = redaction;
    this.#path = [...redaction.path];
  }

  shown(): string | null {
    const text = this.#text;
    for (;;) {
      this.#at = endOfSpace(text, this.#at);
      if (this.#at >= text.length) break;
      if (!this.#step(text[this.#at] as string)) return null;
    }
    return this.#kept === 0 ? text : this.#shown + text.slice(this.#kept);
  }

  /** Reads on from one character that is no white space. False where it cannot be there. */
  #step(character: string): boolean {
    switch (this.#expected) {
      case "item":
        return character === "]" ? this.#close("[") : this.#value(character);
      case "value":
        return this.#value(character);
      case "first-key":
        return character === "}" ? this.#close("{") : this.#key(character);
      case "key":
        return this.#key(character);
      case "colon":
        return this.#skip(character === ":", "value");
      case "comma":
        return this.#comma(character);
      case "end":
        return false;
    }
  }

  #value(character: string): boolean {
    const isInside = this.#open.length > 0;
    if (isInside && this.#redaction.hides(this.#path)) return this.#hidden(character);
    if (character === "{" || character === "[") {
      this.#open.push(character);
      if (character === "[") this.#path.push("0");
      return this.#skip(true, character === "[" ? "item" : "first-key");
    }
    if (character === '"') return this.#string();
    return this.#scalar();
  }

  #hidden(character: string): boolean {
    const start = this.#at;
    if (character === '"') this.#at = endOfString(this.#text, start);
    else if (character === "{" || character === "[") this.#at = endOfNested(this.#text, start);
    else if (!this.#scalar()) return false;
    this.#replace(start, JSON.stringify(REDACTED));
    return this.#after();
  }

  #string(): boolean {
    const start = this.#at;
    this.#at = endOfString(this.#text, start);
    const literal = this.#text.slice(start, this.#at);
    const text = decoded(literal);
    if (text === null) {
      const raw = literal.slice(1);
      const shown = this.#redaction.unread(raw);
      if (shown !== raw) this.#replace(start, `"${shown}`);
    } else {
      const shown = this.#redaction.inside(text, this.#path);
      if (shown !== text) this.#replace(start, JSON.stringify(shown));
    }
    return this.#after();
  }

  #scalar(): boolean {
    const end =
      matchEnd(SCALAR, this.#text, this.#at) ?? matchEnd(SCALAR_START, this.#text, this.#at);
    if (end === null || end === this.#at) return false;
    this.#at = end;
    return this.#after();
  }

  #key(character: string): boolean {
    if (character !== '"') return false;
    const start = this.#at;
    this.#at = endOfString(this.#text, start);
    const literal = this.#text.slice(start, this.#at);
    this.#path.push(decoded(literal) ?? literal.slice(1, -1));
    this.#expected = "colon";
    return true;
  }

  #comma(character: string): boolean {
    const isList = this.#open.at(-1) === "[";
    if (character !== ",") return this.#close(isList ? "[" : "{", character);
    if (isList) this.#path.push(String(Number(this.#path.pop()) + 1));
    else this.#path.pop();
    return this.#skip(true, isList ? "value" : "key");
  }

  #close(open: "{" | "[", character = open === "[" ? "]" : "}"): boolean {
    if (character !== (open === "[" ? "]" : "}")) return false;
    // An object without members has no key in the path.
    if (open === "[" || this.#expected === "comma") this.#path.pop();
    this.#open.pop();
    this.#at += 1;
    return this.#after();
  }

  #skip(isThere: boolean, expected: Expected): boolean {
    this.#at += 1;
    this.#expected = expected;
    return isThere;
  }

  #after(): true {
    this.#expected = this.#open.length === 0 ? "end" : "comma";
    return true;
  }

  #replace(start: number, replacement: string): void {
    this.#shown += this.#text.slice(this.#kept, start) + replacement;
    this.#kept = this.#at;
  }
}

/** Behind the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - escapes - 1] === "\\") escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  return text.length;
}

/** Behind what closes an object or a list, or the end of the text. */
function endOfNested(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

/** Null where it is no whole string. */
function decoded(literal: string): string | null {
  if (!literal.includes("\\") && literal.length > 1 && literal.endsWith('"')) {
    return literal.slice(1, -1);
  }
  try {
    return JSON.parse(literal) as string;
  } catch {
    return null;
  }
}

/** Past white space, which most JSON has little of. */
function endOfSpace(text: string, start: number): number {
  return text.charCodeAt(start) > 0x20 ? start : (matchEnd(SPACE, text, start) as number);
}

function matchEnd(pattern: RegExp, text: string, start: number): number | null {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : null;
}
