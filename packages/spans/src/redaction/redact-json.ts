/** What stands in place of a hidden value. */
export const REDACTED = "[redacted]";

/** What to keep of the parts of a JSON text. */
export interface JsonRedaction {
  /** Where the text itself is: the start of every path inside it. */
  readonly base?: readonly string[];
  /** Whether the value at this path is replaced by {@link REDACTED}. */
  hides(path: readonly string[]): boolean;
  /** What is kept of a string value. */
  text(text: string, path: readonly string[]): string;
  /** What is kept of the name of a member; all of it where not given. */
  key?(name: string): string;
  /** What is kept of a scalar instead of its digits; null, or where not given, keeps it. */
  number?(digits: string): string | null;
  /** What is kept of a string without an end, escaped as it is; else it is passed to `text`. */
  cut?(raw: string): string;
}

/**
 * Redacts JSON text token by token: everything else stays as it was written, numbers of any length and
 * white space included. Text that was cut, or is not JSON after all, is redacted as far as it can be read.
 */
export function redactJson(json: string, redaction: JsonRedaction): string {
  return new JsonRedactor(json, redaction, null).run() as string;
}

/** Likewise, but null for a text that is neither an object, list or string nor the beginning of one. */
export function redactIfJson(text: string, redaction: JsonRedaction): string | null {
  return /^\s*[{["]/.test(text) ? new JsonRedactor(text, redaction, "value").run() : null;
}

interface Level {
  readonly isList: boolean;
  /** The length of the path to it; the step after that changes from member to member. */
  readonly depth: number;
  index: number;
}

/** What the grammar allows next. */
type Expected = "value" | "first item" | "key" | "first key" | "colon" | "comma" | "end";

/** Every token but strings, whose end is searched for: they may be very long. */
const TOKEN = /[\s,:]+|[{}[\]]|[^\s,:{}[\]"]+/y;

class JsonRedactor {
  readonly #json: string;
  readonly #redaction: JsonRedaction;
  readonly #path: string[];
  readonly #base: number;
  readonly #levels: Level[] = [];
  /** Null where the grammar is not checked. */
  #expected: Expected | null;
  #at = 0;
  #written = "";
  #copied = 0;

  constructor(json: string, redaction: JsonRedaction, expected: Expected | null) {
    this.#json = json;
    this.#redaction = redaction;
    this.#path = [...(redaction.base ?? [])];
    this.#base = this.#path.length;
    this.#expected = expected;
  }

  /** Null where the grammar is checked and broken. */
  run(): string | null {
    for (let token = this.#next(); token !== ""; token = this.#next()) {
      const isKey = this.#isKey(token);
      if (this.#expected !== null && !this.#advance(token)) return null;
      this.#take(token, isKey);
    }
    return this.#copied === 0 ? this.#json : this.#written + this.#json.slice(this.#copied);
  }

  #take(token: string, isKey: boolean): void {
    const level = this.#levels.at(-1);
    const first = token[0] as string;
    if (first === "}" || first === "]") {
      this.#levels.pop();
      if (level !== undefined) this.#path.length = level.depth;
    } else if (isSeparator(first)) {
      if (level?.isList && token.includes(",")) level.index++;
    } else if (level !== undefined && isKey) {
      this.#path.length = level.depth;
      const name = decoded(token);
      this.#path.push(name);
      this.#keep(token, name, this.#redaction.key?.(name) ?? name);
    } else {
      if (level?.isList) {
        this.#path.length = level.depth;
        this.#path.push(String(level.index));
      }
      this.#value(token, first);
    }
  }

  #value(token: string, first: string): void {
    const isNested = first === "{" || first === "[";
    if (this.#path.length > this.#base && this.#redaction.hides(this.#path)) {
      const start = this.#at - token.length;
      if (isNested) this.#skipRest();
      this.#replace(start, JSON.stringify(REDACTED));
    } else if (isNested) {
      this.#levels.push({ isList: first === "[", depth: this.#path.length, index: 0 });
    } else if (first === '"') this.#string(token);
    else if (this.#levels.length > 0) {
      const kept = this.#redaction.number?.(token) ?? null;
      if (kept !== null) this.#replace(this.#at - token.length, JSON.stringify(kept));
    }
  }

  #string(token: string): void {
    const { cut, text } = this.#redaction;
    if (cut !== undefined && !isWhole(token)) {
      const raw = token.slice(1);
      const kept = cut(raw);
      if (kept !== raw) this.#replace(this.#at - token.length, `"${kept}`);
      return;
    }
    const whole = decoded(token);
    this.#keep(token, whole, text(whole, this.#path));
  }

  #keep(token: string, text: string, kept: string): void {
    if (kept !== text) this.#replace(this.#at - token.length, JSON.stringify(kept));
  }

  /** Goes to the end of the object or list that has just begun. */
  #skipRest(): void {
    let open = 1;
    for (let token = this.#next(); token !== ""; token = this.#next()) {
      if (token === "{" || token === "[") open++;
      else if (token === "}" || token === "]") open--;
      if (open === 0) break;
    }
    if (this.#expected !== null) this.#expected = "comma";
  }

  #isKey(token: string): boolean {
    if (token[0] !== '"') return false;
    if (this.#expected !== null) return this.#expected === "key" || this.#expected === "first key";
    if (this.#levels.at(-1)?.isList !== false) return false;
    AFTER_KEY.lastIndex = this.#at;
    return AFTER_KEY.test(this.#json);
  }

  /** Whether the grammar allows the token here. Sets what it allows next. */
  #advance(token: string): boolean {
    const expected = this.#expected;
    const isList = this.#levels.at(-1)?.isList;
    const first = token[0] as string;
    if (isSeparator(first)) return this.#advanceBy(token, isList);
    if (first === "}" || first === "]") {
      const isEmpty = expected === (isList ? "first item" : "first key");
      this.#expected = this.#levels.length > 1 ? "comma" : "end";
      return isList === (first === "]") && (isEmpty || expected === "comma");
    }
    if (first === '"' && (expected === "key" || expected === "first key")) {
      this.#expected = "colon";
      return true;
    }
    this.#expected = this.#levels.length > 0 ? "comma" : "end";
    if (first === "[") this.#expected = "first item";
    else if (first === "{") this.#expected = "first key";
    else if (first !== '"' && !this.#isScalar(token)) return false;
    return expected === "value" || expected === "first item";
  }

  /** White space, commas and colons. */
  #advanceBy(token: string, isList: boolean | undefined): boolean {
    for (const character of token) {
      if (character === ",") {
        if (this.#expected !== "comma") return false;
        this.#expected = isList ? "value" : "key";
      } else if (character === ":") {
        if (this.#expected !== "colon") return false;
        this.#expected = "value";
      }
    }
    return true;
  }

  #isScalar(token: string): boolean {
    return SCALAR.test(token) || (this.#at === this.#json.length && SCALAR_START.test(token));
  }

  #next(): string {
    const start = this.#at;
    if (this.#json[start] === '"') {
      this.#at = stringEnd(this.#json, start);
      return this.#json.slice(start, this.#at);
    }
    TOKEN.lastIndex = start;
    const token = TOKEN.exec(this.#json)?.[0] ?? "";
    this.#at += token.length;
    return token;
  }

  #replace(start: number, text: string): void {
    this.#written += this.#json.slice(this.#copied, start) + text;
    this.#copied = this.#at;
  }
}

const AFTER_KEY = /\s*:/y;
const SCALAR = /^(?:-?\d[\d.eE+-]*|true|false|null)$/;
const SCALAR_START = /^[-+.\w]+$/;

function isSeparator(first: string): boolean {
  return first === "," || first === ":" || first.trim() === "";
}

function stringEnd(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return json.length;
}

function isWhole(token: string): boolean {
  if (token.length < 2 || !token.endsWith('"')) return false;
  if (!token.includes("\\")) return true;
  try {
    JSON.parse(token);
    return true;
  } catch {
    return false;
  }
}

/** The text of a string token, also of one that was cut or has line breaks in it. */
function decoded(token: string): string {
  const isClosed = token.length > 1 && token.endsWith('"');
  const open = token.slice(1, isClosed ? -1 : undefined);
  if (!token.includes("\\")) return open;
  try {
    return JSON.parse(token) as string;
  } catch {
    return open.replaceAll(ESCAPE, (sequence, code: string | undefined) =>
      code === undefined ? (SIMPLE_ESCAPES[sequence[1] ?? ""] ?? sequence.slice(1)) : fromHex(code),
    );
  }
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|[\s\S]|$)/g;
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
};

function fromHex(code: string): string {
  return String.fromCharCode(Number.parseInt(code, 16));
}
