/** The first place at which a text is not JSON. */
export interface JsonFault {
  readonly position: number;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  readonly problem: string;
}

type Expected = "value" | "first item" | "key" | "first key" | "colon" | "comma" | "end";

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[\w$+.-]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const LITERALS: readonly string[] = ["true", "false", "null"];

/**
 * Finds the first fault of a text that is not JSON; null where it is JSON. The messages of `JSON.parse`
 * differ by runtime, do not always name the place, and quote the text, which may hold secrets.
 */
export function jsonFault(text: string): JsonFault | null {
  const scanner = new Scanner(text);
  const problem = scanner.run();
  if (problem === null) return null;
  const { position } = scanner;
  const lines = text.slice(0, position).split(/\r\n|\r|\n/);
  return { position, line: lines.length, column: (lines.at(-1) as string).length + 1, problem };
}

/** Goes through a text up to its first fault. Not recursive: a text may be nested deeper than the stack. */
class Scanner {
  position = 0;
  readonly #text: string;
  readonly #open: ("{" | "[")[] = [];
  #expected: Expected = "value";

  constructor(text: string) {
    this.#text = text;
  }

  /** The problem at `position`. */
  run(): string | null {
    for (;;) {
      this.position += this.#match(SPACE).length;
      const character = this.#text[this.position];
      if (character === undefined) return this.#expected === "end" ? null : this.#unfinished();
      const problem = this.#step(character);
      if (problem !== null) return problem;
    }
  }

  #step(character: string): string | null {
    switch (this.#expected) {
      case "end":
        return "Nothing may follow the end of the value.";
      case "colon":
        return character === ":" ? this.#advance("value") : "Expected a colon after the name.";
      case "comma":
        if (character === this.#closing) return this.#close();
        if (character !== ",") return `Expected a comma or ${this.#closing} here.`;
        return this.#advance(this.#closing === "}" ? "key" : "value");
      case "first key":
        return character === "}" ? this.#close() : this.#key(character);
      case "key":
        return this.#key(character);
      case "first item":
        return character === "]" ? this.#close() : this.#value(character);
      case "value":
        return this.#value(character);
    }
  }

  #key(character: string): string | null {
    if (character === "}") return "Remove the comma before this }.";
    if (character !== '"') return 'Expected a name in double quotes, such as "text".';
    return this.#string("colon");
  }

  #value(character: string): string | null {
    const after = this.#open.length === 0 ? "end" : "comma";
    switch (character) {
      case "{":
      case "[":
        this.#open.push(character);
        return this.#advance(character === "{" ? "first key" : "first item");
      case '"':
        return this.#string(after);
      case "'":
        return "Strings need double quotes.";
      case ",":
      case "]":
      case "}":
        return `A value is missing before this ${character}.`;
    }
    const number = this.#match(NUMBER);
    const word = this.#match(WORD);
    if (word.length > number.length && !LITERALS.includes(word)) {
      return /^[-+.\d]/.test(word)
        ? "This is not a JSON number."
        : "Expected a double-quoted string, a number, true, false or null.";
    }
    if (word === "") return "Expected a value here.";
    return this.#advance(after, word.length);
  }

  #string(after: Expected): string | null {
    const start = this.position;
    this.position += 1;
    for (;;) {
      const character = this.#text[this.position];
      if (character === undefined) {
        this.position = start;
        return "The closing quote is missing.";
      }
      if (character === '"') return this.#advance(after);
      if (character === "\n" || character === "\r") {
        return "A string ends on the line it begins on: write \\n for a line break.";
      }
      if (character < " ") return "Write this character as an escape, such as \\t.";
      const length = character === "\\" ? this.#match(ESCAPE).length : 1;
      if (length === 0) return "Invalid escape: write \\\\ for a backslash.";
      this.position += length;
    }
  }

  #close(): null {
    this.#open.pop();
    return this.#advance(this.#open.length === 0 ? "end" : "comma");
  }

  #advance(expected: Expected, length = 1): null {
    this.position += length;
    this.#expected = expected;
    return null;
  }

  #unfinished(): string {
    if (this.#open.length === 0) return "The text is empty: expected a JSON value.";
    return this.#expected === "comma"
      ? `The closing ${this.#closing} is missing.`
      : "The text ends too early.";
  }

  get #closing(): "}" | "]" {
    return this.#open.at(-1) === "{" ? "}" : "]";
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.position;
    return pattern.exec(this.#text)?.[0] ?? "";
  }
}
