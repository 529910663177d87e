/** Inputs of about the right shape, to begin with: `{ "text": "" }`. */
export type InputSkeleton = Readonly<Record<string, unknown>>;

/**
 * What a function takes as its input, by the names that its first parameter is destructured into.
 * Undefined where its source does not show it, or might show something else: the skeleton is only
 * something to begin with, and none is better than a wrong one.
 *
 * @example inputSkeleton(({ text, limit = 5 }) => …) // { text: "", limit: 5 }
 */
export function inputSkeleton(fn: (...args: never[]) => unknown): InputSkeleton | undefined {
  try {
    const reader = new SourceReader(Function.prototype.toString.call(fn));
    reader.toFirstParameter();
    return reader.objectPattern();
  } catch (error) {
    if (error instanceof Unsure) return undefined;
    throw error;
  }
}

/** The source is not what this file reads. Never leaves it. */
class Unsure extends Error {}

/** A value with a default that is not a literal is left out: its default then holds. */
const LEFT_OUT = Symbol("left out");

const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?![\w.$])/y;
const TEXT = /"[^"\\\n]*"|'[^'\\\n]*'/y;
const FLAG = /(?:true|false)(?![\w$])/y;
const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Reads a function's source from its beginning, only as far as its first parameter goes. */
class SourceReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Past `async function name(`, `*name(`, `["name"](` or the `(` of an arrow function. */
  toFirstParameter(): void {
    for (;;) {
      this.#skipSpace();
      if (this.#take("(")) return;
      if (this.#peek() === "[") this.#skipBrackets();
      // Of a name, `async`, `function`, `static` or `get`; an arrow here follows a bare parameter.
      else if (!this.#take("*") && !this.#take("#") && this.#match(NAME) === undefined) {
        if (this.#match(TEXT) === undefined && this.#match(NUMBER) === undefined)
          throw new Unsure();
      }
    }
  }

  /** `{ text, limit = 5, user: { name }, ...rest }` */
  objectPattern(): InputSkeleton {
    this.#skipSpace();
    if (!this.#take("{")) throw new Unsure();
    const entries: [string, unknown][] = [];
    for (;;) {
      this.#skipSpace();
      if (this.#take("}")) return Object.fromEntries(entries);
      if (this.#take("...")) {
        this.#name();
      } else {
        const key = this.#key();
        const value = this.#value();
        if (value !== LEFT_OUT) entries.push([key, value]);
      }
      this.#skipSpace();
      if (!this.#take(",") && this.#peek() !== "}") throw new Unsure();
    }
  }

  #key(): string {
    const text = this.#match(TEXT);
    if (text !== undefined) return text.slice(1, -1);
    return this.#match(NUMBER) ?? this.#name();
  }

  /** What stands behind a key: another name, a pattern, a default. */
  #value(): unknown {
    let value: unknown = "";
    this.#skipSpace();
    if (this.#take(":")) {
      this.#skipSpace();
      if (this.#peek() === "{") value = this.objectPattern();
      else if (this.#peek() === "[") {
        this.#skipBrackets();
        value = [];
      } else this.#name();
      this.#skipSpace();
    }
    return this.#take("=") ? this.#default(value) : value;
  }

  /** A literal is what it is; anything else is the function's own to work out. */
  #default(value: unknown): unknown {
    this.#skipSpace();
    const start = this.#at;
    const literal = this.#match(TEXT) ?? this.#match(NUMBER) ?? this.#match(FLAG);
    this.#skipSpace();
    const isLiteral = literal !== undefined && (this.#peek() === "," || this.#peek() === "}");
    if (isLiteral && typeof value === "string") return literalValue(literal);
    this.#at = start;
    while (this.#peek() !== "," && this.#peek() !== "}") this.#skipToken();
    return LEFT_OUT;
  }

  #name(): string {
    this.#skipSpace();
    const name = this.#match(NAME);
    if (name === undefined) throw new Unsure();
    return name;
  }

  #skipBrackets(): void {
    const end = CLOSING[this.#peek()];
    this.#at++;
    while (this.#peek() !== end) this.#skipToken();
    this.#at++;
  }

  /** One bracketed part, text, comment or character. A slash may begin a regular expression: unsure. */
  #skipToken(): void {
    const char = this.#peek();
    if (char === "" || char === "/" || char === "`" || char === ")" || char === "]") {
      const before = this.#at;
      this.#skipSpace();
      if (this.#at === before) throw new Unsure();
    } else if (Object.hasOwn(CLOSING, char)) this.#skipBrackets();
    else if (char === '"' || char === "'") {
      if (this.#match(TEXT) === undefined) throw new Unsure();
    } else this.#at++;
  }

  /** White space and comments. */
  #skipSpace(): void {
    const skipped = this.#match(/(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/)+/y);
    if (skipped === undefined && this.#source.startsWith("/*", this.#at)) throw new Unsure();
  }

  #peek(): string {
    return this.#source.charAt(this.#at);
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#source) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

function literalValue(literal: string): unknown {
  if (literal === "true" || literal === "false") return literal === "true";
  return /^["']/.test(literal) ? literal.slice(1, -1) : Number(literal);
}
