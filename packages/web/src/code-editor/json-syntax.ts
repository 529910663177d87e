/** A text read as JSON. */
export type JsonReading =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "broken"; readonly fault: JsonFault };

/** Where a text stops being JSON. */
export interface JsonFault {
  /** "Line 3, column 7: …" */
  readonly message: string;
  /** What is wrong, without the place. */
  readonly reason: string;
  readonly position: number;
}

/** Reads JSON; what is wrong is said in words, and the same in every browser. */
export function readJson(text: string): JsonReading {
  try {
    return { kind: "value", value: JSON.parse(text) };
  } catch {
    const { reason, position } = findFault(text);
    const before = text.slice(0, position).split("\n");
    const place = `Line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    return { kind: "broken", fault: { message: `${place}: ${reason}`, reason, position } };
  }
}

interface Fault {
  readonly reason: string;
  readonly position: number;
}

/** The first place at which the text is not JSON. */
export function findFault(text: string): Fault {
  const scanner = new Scanner(text);
  // A list of what is open, not calls in each other: a text may be nested deeper than the stack.
  const open: ("{" | "[")[] = [];
  let expects: "value" | "value or ]" | "name" | "name or }" | "comma" = "value";
  for (;;) {
    scanner.skipSpace();
    const character = scanner.current;
    if (expects === "comma" && open.length === 0) {
      return scanner.fault(
        character === undefined ? "This is JSON." : `Nothing may follow the end of the value.`,
      );
    }
    if (character === undefined) return scanner.fault(unfinished(expects, open));
    if (expects === "comma") {
      const end = open.at(-1) === "{" ? "}" : "]";
      if (character === end) open.pop();
      else if (character === ",") expects = end === "}" ? "name" : "value";
      else return scanner.fault(`Expected a comma or ${end} here.`);
      scanner.advance(1);
    } else if (expects === "name" || expects === "name or }") {
      if (character === "}") {
        if (expects === "name") return scanner.fault("There is a comma too many before this }.");
        scanner.advance(1);
        open.pop();
        expects = "comma";
        continue;
      }
      if (character !== '"')
        return scanner.fault('Expected a name in double quotes, such as "text".');
      const fault = scanner.readString();
      if (fault !== undefined) return fault;
      scanner.skipSpace();
      if (scanner.current !== ":") return scanner.fault("Expected a colon after the name.");
      scanner.advance(1);
      expects = "value";
    } else if (character === "]" && expects === "value or ]") {
      scanner.advance(1);
      open.pop();
      expects = "comma";
    } else if (character === "{" || character === "[") {
      scanner.advance(1);
      open.push(character);
      expects = character === "{" ? "name or }" : "value or ]";
    } else {
      const fault = scanner.readScalar();
      if (fault !== undefined) return fault;
      expects = "comma";
    }
  }
}

function unfinished(expects: string, open: readonly ("{" | "[")[]): string {
  if (open.length === 0) return "There is nothing here yet.";
  const end = open.at(-1) === "{" ? "}" : "]";
  return expects === "comma" ? `The closing ${end} is missing.` : "The end is missing.";
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[\w$+.-]+/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Goes through a text from its beginning. */
class Scanner {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get current(): string | undefined {
    return this.#text[this.#position];
  }

  advance(by: number): void {
    this.#position += by;
  }

  skipSpace(): void {
    this.advance(this.#match(SPACE).length);
  }

  fault(reason: string, position = this.#position): Fault {
    return { reason, position };
  }

  readString(): Fault | undefined {
    const start = this.#position;
    this.advance(1);
    for (;;) {
      const character = this.current;
      if (character === undefined) return this.fault("The closing quote is missing.", start);
      if (character === '"') break;
      if (character === "\n") {
        return this.fault("A text ends on the line it begins on; write \\n for a new line.");
      }
      if (character < " ") return this.fault("A tab in a text is written \\t.");
      if (character === "\\") {
        const { length } = this.#match(ESCAPE);
        if (length === 0) return this.fault("A backslash is written twice: \\\\.");
        this.advance(length);
      } else {
        this.advance(1);
      }
    }
    this.advance(1);
    return undefined;
  }

  readScalar(): Fault | undefined {
    if (this.current === '"') return this.readString();
    if (this.current === "'") return this.fault("Texts are in double quotes.");
    if (this.current === ",") return this.fault("A value is missing before this comma.");
    if (this.current === "]" || this.current === "}") {
      return this.fault(`A value is missing before this ${this.current}.`);
    }
    const number = this.#match(NUMBER);
    const word = this.#match(WORD);
    if (word.length > number.length && !["true", "false", "null"].includes(word)) {
      return this.fault(
        /^[-+.\d]/.test(word)
          ? "This is not a number as JSON writes it."
          : "Texts are in double quotes; other than that there are numbers, true, false and null.",
      );
    }
    const length = Math.max(number.length, word.length);
    if (length === 0) return this.fault("Expected a value here.");
    this.advance(length);
    return undefined;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#position;
    return pattern.exec(this.#text)?.[0] ?? "";
  }
}
