// Finds the parts of a valid JSON text without parsing it: what is not changed keeps its bytes, every digit
// of a number included.

/** A place in a JSON text; `end` is exclusive. */
export interface JsonPlace {
  readonly start: number;
  readonly end: number;
}

/** A member of an object. */
export interface JsonMember extends JsonPlace {
  /** Its name as it is written, with quotes. */
  readonly key: string;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The members of the object that begins at `from`. */
export function* jsonMembers(json: string, from: number): Generator<JsonMember, void, void> {
  for (let at = skipSpace(json, from + 1); json.charCodeAt(at) === QUOTE; ) {
    const keyEnd = textEnd(json, at) + 1;
    const start = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const end = valueEnd(json, start);
    yield { key: json.slice(at, keyEnd), start, end: trimmedEnd(json, end) };
    at = skipSpace(json, end + 1);
  }
}

/** The elements of the array that begins at `from`. */
export function* jsonElements(json: string, from: number): Generator<JsonPlace, void, void> {
  let start = skipSpace(json, from + 1);
  while (start < json.length && json.charCodeAt(start) !== CLOSE_BRACKET) {
    const end = valueEnd(json, start);
    yield { start, end: trimmedEnd(json, end) };
    if (json.charCodeAt(end) !== COMMA) return;
    start = skipSpace(json, end + 1);
  }
}

/** Where a JSON value ends: before the comma or bracket that follows it. */
export function valueEnd(json: string, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case QUOTE:
        at = textEnd(json, at);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        depth++;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        if (depth === 0) return at;
        depth--;
        break;
      case COMMA:
        if (depth === 0) return at;
    }
  }
  return json.length;
}

/** Where the text ends that begins with the quote at `from`: its last quote. */
function textEnd(json: string, from: number): number {
  let at = from;
  do {
    at = json.indexOf('"', at + 1);
    if (at < 0) return json.length;
  } while (isEscaped(json, at));
  return at;
}

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (isSpace(json.charCodeAt(at))) at++;
  return at;
}

function trimmedEnd(json: string, end: number): number {
  let at = end;
  while (isSpace(json.charCodeAt(at - 1))) at--;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
