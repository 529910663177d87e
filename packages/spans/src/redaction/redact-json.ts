/** What to do with the parts of a JSON text. */
export interface JsonRedaction {
  /** Whether the value at this path is replaced whole. */
  hides(path: readonly string[]): boolean;
  /** The text of a string, or of a key, as it may be kept. */
  text(text: string): string;
  /** What is kept of a number instead of its digits; null keeps it. */
  number(digits: string): string | null;
  /** Replaces a value that is hidden. */
  readonly replacement: string;
}

/**
 * Redacts JSON text token by token: what is not replaced stays as it was written, numbers of any length
 * included. Text that is cut, or is not JSON after all, is redacted as far as it can be read.
 */
export function redactJson(json: string, redaction: JsonRedaction): string {
  return new JsonRedactor(json, redaction).run();
}

interface Level {
  readonly isList: boolean;
  /** The steps down to its current member; the last one changes from member to member. */
  readonly depth: number;
  index: number;
}

/** Every token but strings, whose end is searched for: they may be very long. */
const TOKEN = /[\s,:]+|[{}[\]]|[^\s,:{}[\]"]+/y;

class JsonRedactor {
  readonly #json: string;
  readonly #redaction: JsonRedaction;
  readonly #path: string[] = [];
  readonly #levels: Level[] = [];
  #at = 0;
  #written = "";
  #copied = 0;

  constructor(json: string, redaction: JsonRedaction) {
    this.#json = json;
    this.#redaction = redaction;
  }

  run(): string {
    for (let token = this.#next(); token !== ""; token = this.#next()) this.#take(token);
    return this.#copied === 0 ? this.#json : this.#written + this.#json.slice(this.#copied);
  }

  #take(token: string): void {
    const level = this.#levels.at(-1);
    const first = token[0] as string;
    if (first === "}" || first === "]") {
      this.#levels.pop();
      if (level !== undefined) this.#path.length = level.depth;
      return;
    }
    if (isBlank(first)) {
      if (level?.isList && token.includes(",")) level.index++;
      return;
    }
    if (level !== undefined && !level.isList && first === '"' && this.#isKey()) {
      this.#path.length = level.depth;
      this.#path.push(decoded(token));
      this.#keep(token);
      return;
    }
    if (level?.isList) {
      this.#path.length = level.depth;
      this.#path.push(String(level.index));
    }
    this.#value(token, first);
  }

  #value(token: string, first: string): void {
    const start = this.#at - token.length;
    if (this.#path.length > 0 && this.#redaction.hides(this.#path)) {
      if (first === "{" || first === "[") this.#skipRest();
      this.#replace(start, JSON.stringify(this.#redaction.replacement));
    } else if (first === "{" || first === "[") {
      this.#levels.push({ isList: first === "[", depth: this.#path.length, index: 0 });
    } else if (first === '"') this.#keep(token);
    else if (this.#levels.length > 0) {
      const kept = this.#redaction.number(token);
      if (kept !== null) this.#replace(start, JSON.stringify(kept));
    }
  }

  /** Keeps a string, or what may be kept of it. */
  #keep(token: string): void {
    const text = decoded(token);
    const kept = this.#redaction.text(text);
    if (kept !== text) this.#replace(this.#at - token.length, JSON.stringify(kept));
  }

  /** Goes to the end of the object or list that has just begun. */
  #skipRest(): void {
    let open = 1;
    for (let token = this.#next(); token !== ""; token = this.#next()) {
      if (token === "{" || token === "[") open++;
      else if (token === "}" || token === "]") open--;
      if (open === 0) return;
    }
  }

  #isKey(): boolean {
    AFTER_KEY.lastIndex = this.#at;
    return AFTER_KEY.test(this.#json);
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

function isBlank(first: string): boolean {
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

/** The text of a string token, also of one that was cut or has line breaks in it. */
function decoded(token: string): string {
  try {
    return JSON.parse(token) as string;
  } catch {
    const open = token.slice(1, token.length > 1 && token.endsWith('"') ? -1 : undefined);
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
