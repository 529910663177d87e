/** Where a text stops being JSON. */
export interface JsonFault {
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** What to do about it. */
  readonly problem: string;
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

type Expected = "value" | "first item" | "key" | "first key" | "colon" | "next" | "end";

/**
 * Finds the first fault in a text that is not JSON; null in one that is. `JSON.parse` knows it too, but
 * says where in words that differ by runtime, and not always.
 */
export function jsonFault(text: string): JsonFault | null {
  const open: ("{" | "[")[] = [];
  let at = 0;
  let expected: Expected = "value";

  const fault = (problem: string): JsonFault => ({ ...place(text, at), problem });
  const close = (): Expected => {
    at += 1;
    open.pop();
    return open.length === 0 ? "end" : "next";
  };

  for (;;) {
    at = ended(SPACE, text, at) ?? at;
    const found = text[at];
    if (found === undefined) {
      if (expected === "end") return null;
      return fault(open.length === 0 ? "The file is empty." : `A ${closing(open)} is missing.`);
    }
    switch (expected) {
      case "end":
        return fault("Nothing may follow here.");
      case "colon":
        if (found !== ":") return fault('A ":" must follow the name.');
        at += 1;
        expected = "value";
        break;
      case "next":
        if (found === ",") {
          at += 1;
          expected = open.at(-1) === "{" ? "key" : "value";
        } else if (found === closing(open)) {
          expected = close();
        } else {
          return fault(`A "," or a "${closing(open)}" is missing before this.`);
        }
        break;
      case "key":
      case "first key": {
        if (found === "}" && expected === "first key") {
          expected = close();
          break;
        }
        if (found === "}") return fault('The "," before this "}" is one too many.');
        if (found !== '"') return fault('A name in "double quotes" is expected here.');
        const string = stringEnd(text, at);
        at = string.at;
        if (string.problem !== null) return fault(string.problem);
        expected = "colon";
        break;
      }
      case "value":
      case "first item": {
        if (found === "]" && expected === "first item") {
          expected = close();
          break;
        }
        if (found === "]" && open.at(-1) === "[") {
          return fault('The "," before this "]" is one too many.');
        }
        if (found === "{" || found === "[") {
          open.push(found);
          at += 1;
          expected = found === "{" ? "first key" : "first item";
          break;
        }
        if (found === '"') {
          const string = stringEnd(text, at);
          at = string.at;
          if (string.problem !== null) return fault(string.problem);
        } else {
          const end = ended(NUMBER, text, at) ?? ended(WORD, text, at);
          if (end === null) return fault("A value is expected here: text goes in double quotes.");
          at = end;
        }
        expected = open.length === 0 ? "end" : "next";
      }
    }
  }
}

function closing(open: readonly ("{" | "[")[]): "}" | "]" {
  return open.at(-1) === "{" ? "}" : "]";
}

/** Where a match that begins here ends; null where there is none. */
function ended(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

function stringEnd(text: string, start: number): { at: number; problem: string | null } {
  for (let at = start + 1; ; ) {
    const character = text[at];
    if (character === undefined || character === "\n" || character === "\r") {
      return { at, problem: 'The text has no end: a double quote (") is missing.' };
    }
    if (character === '"') return { at: at + 1, problem: null };
    if (character < " ") return { at, problem: "Write this character as an escape, such as \\t." };
    if (character === "\\") {
      const end = ended(ESCAPE, text, at);
      if (end === null)
        return { at, problem: "There is no such escape: write \\\\ for a backslash." };
      at = end;
    } else {
      at += 1;
    }
  }
}

function place(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split(/\r\n|\r|\n/);
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
