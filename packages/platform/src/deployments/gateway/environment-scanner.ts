/** What the bytes so far say of the environment that a call asks for. */
export type ScanOutcome =
  /** A name may come yet. */
  | { readonly kind: "searching" }
  /** A later field of the same name may still differ. */
  | { readonly kind: "named"; readonly name: string }
  /** None can come any more: the object has ended, or it is no JSON object. */
  | { readonly kind: "none" }
  | { readonly kind: "conflicting"; readonly names: readonly [string, string] };

/** Of a name as it is written, escapes included. No environment's name is as long. */
const LONGEST_NAME = 1024;
const FIELD = "environment";
/** The field's name with every letter escaped: `\u0065…`. */
const LONGEST_FIELD = FIELD.length * 6;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** What the next byte belongs to. Except for the first and the last, all are inside the object. */
type Place =
  | "start"
  | "before-key"
  | "key"
  | "before-colon"
  | "before-value"
  | "string"
  | "name"
  | "scalar"
  | "nested"
  | "nested-string"
  | "after-value"
  | "over";

/**
 * Finds the top-level field `environment` of a JSON object while it arrives, without parsing the
 * rest: in linear time, and in memory for one name, however deep or large the document is.
 *
 * Every document that `JSON.parse` accepts gives the name that `JSON.parse` gives, unless two fields
 * differ. Others are not checked: the workflow answers what is wrong with them.
 */
export class EnvironmentScanner {
  #outcome: ScanOutcome = { kind: "searching" };
  readonly #isSame: (first: string, second: string) => boolean;
  #place: Place = "start";
  /** Of objects and arrays inside the top-level object. */
  #depth = 0;
  #isEscaped = false;
  /** The beginning of a key or name whose end is not here yet, as latin1. */
  #kept = "";
  #isEnvironment = false;
  #bytesOfMark = 0;

  /**
   * @param expected A name that the request has outside of its body.
   * @param isSame Whether two spellings name the same environment.
   */
  constructor(
    expected: string | null = null,
    isSame: (first: string, second: string) => boolean = (first, second) => first === second,
  ) {
    this.#isSame = isSame;
    if (expected !== null) this.#outcome = { kind: "named", name: expected };
  }

  get outcome(): ScanOutcome {
    return this.#outcome;
  }

  /** Reads the next bytes, in chunks of any size. */
  push(bytes: Buffer): ScanOutcome {
    let at = 0;
    while (at < bytes.length && this.#place !== "over") at = this.#read(bytes, at);
    return this.#outcome;
  }

  /** The body has ended. */
  end(): ScanOutcome {
    this.#stop();
    return this.#outcome;
  }

  /** @returns where to go on: at least one byte further, and beyond the last where all are read. */
  #read(bytes: Buffer, at: number): number {
    switch (this.#place) {
      case "key":
      case "name":
        return this.#readKept(bytes, at);
      case "string":
        return this.#skipString(bytes, at, "after-value");
      case "nested-string":
        return this.#skipString(bytes, at, "nested");
      case "nested":
        return this.#skipNested(bytes, at);
      case "scalar":
        return this.#skipScalar(bytes, at);
      case "over":
        return bytes.length;
      default:
        this.#readBetween(bytes[at] as number);
        return at + 1;
    }
  }

  /** A byte between the parts of the object. */
  #readBetween(byte: number): void {
    const isMark = this.#place === "start" && byte === BYTE_ORDER_MARK[this.#bytesOfMark];
    if (isMark) this.#bytesOfMark++;
    if (isMark || isSpace(byte)) return;
    const next =
      this.#place === "before-value" ? this.#placeOfValue(byte) : placeAfter(this.#place, byte);
    if (next === "over") this.#stop();
    else this.#place = next;
  }

  #placeOfValue(byte: number): Place {
    if (byte === QUOTE) return this.#isEnvironment ? "name" : "string";
    if (byte === COMMA || byte === CLOSE_BRACE) return "over";
    if (byte !== OPEN_BRACE && byte !== OPEN_BRACKET) return "scalar";
    this.#depth = 1;
    return "nested";
  }

  /** A key or a name, of which what may matter is kept. */
  #readKept(bytes: Buffer, from: number): number {
    const end = this.#endOfString(bytes, from);
    const longest = this.#place === "key" ? LONGEST_FIELD : LONGEST_NAME;
    const room = longest + 1 - this.#kept.length;
    if (room > 0) this.#kept += bytes.toString("latin1", from, Math.min(end, from + room));
    if (end === bytes.length) return end;
    const text = this.#kept;
    this.#kept = "";
    if (this.#place === "key") {
      this.#isEnvironment = isField(text);
      this.#place = "before-colon";
    } else {
      this.#note(text);
      if (this.#place !== "over") this.#place = "after-value";
    }
    return end + 1;
  }

  #skipString(bytes: Buffer, from: number, next: Place): number {
    const end = this.#endOfString(bytes, from);
    if (end < bytes.length) this.#place = next;
    return end + 1;
  }

  /** Where the quote is that ends a string; the number of bytes where it is not among them. */
  #endOfString(bytes: Buffer, from: number): number {
    const { length } = bytes;
    const start = this.#isEscaped ? from + 1 : from;
    let at = start;
    for (;;) {
      const quote = nextQuote(bytes, at);
      if (!endsInEscape(bytes, start, quote)) {
        this.#isEscaped = false;
        return quote;
      }
      if (quote >= length) {
        this.#isEscaped = true;
        return length;
      }
      at = quote + 1;
    }
  }

  #skipNested(bytes: Buffer, from: number): number {
    const { length } = bytes;
    let depth = this.#depth;
    for (let at = from; at < length; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#depth = depth;
        this.#place = "nested-string";
        return at + 1;
      }
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
      if (depth === 0) {
        this.#place = "after-value";
        return at + 1;
      }
    }
    this.#depth = depth;
    return length;
  }

  /** A number, true, false or null. */
  #skipScalar(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte !== COMMA && byte !== CLOSE_BRACE && !isSpace(byte)) continue;
      this.#place = "after-value";
      return at;
    }
    return bytes.length;
  }

  #note(written: string): void {
    const name = textOf(written);
    if (name === undefined) {
      this.#stop();
      return;
    }
    const outcome = this.#outcome;
    // The workflow refuses an empty one.
    if (name === "") return;
    if (outcome.kind === "searching") {
      this.#outcome = { kind: "named", name };
    } else if (outcome.kind === "named" && !this.#isSame(outcome.name, name)) {
      this.#outcome = { kind: "conflicting", names: [outcome.name, name] };
      this.#place = "over";
    }
  }

  #stop(): void {
    this.#place = "over";
    if (this.#outcome.kind === "searching") this.#outcome = { kind: "none" };
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Strings up to this length are cheaper to look through here than by a call into Node. */
const SHORT_STRING = 16;

/** Where the next quote is; the number of bytes where there is none. */
function nextQuote(bytes: Buffer, from: number): number {
  const { length } = bytes;
  const near = Math.min(length, from + SHORT_STRING);
  for (let at = from; at < near; at++) if (bytes[at] === QUOTE) return at;
  if (near >= length) return length;
  const quote = bytes.indexOf(QUOTE, near);
  return quote < 0 ? length : quote;
}

/** Whether an odd number of backslashes is before a place: what is there is escaped then. */
function endsInEscape(bytes: Buffer, start: number, end: number): boolean {
  let at = end;
  while (at > start && bytes[at - 1] === BACKSLASH) at--;
  return (end - at) % 2 === 1;
}

/** Where a byte between two parts leads. */
function placeAfter(place: Place, byte: number): Place {
  switch (place) {
    case "start":
      return byte === OPEN_BRACE ? "before-key" : "over";
    case "before-key":
      return byte === QUOTE ? "key" : "over";
    case "before-colon":
      return byte === COLON ? "before-value" : "over";
    default:
      return byte === COMMA ? "before-key" : "over";
  }
}

/** @param written As latin1; one that is longer than the field's name can be was cut. */
function isField(written: string): boolean {
  if (written === FIELD) return true;
  if (written.length > LONGEST_FIELD || !written.includes("\\")) return false;
  return textOf(written) === FIELD;
}

/** What a JSON string says; undefined where it is none. A name that is too long comes cut. */
function textOf(written: string): string | undefined {
  if (/^[\w.-]*$/.test(written) || written.length > LONGEST_NAME) return written;
  try {
    return JSON.parse(`"${Buffer.from(written, "latin1").toString("utf8")}"`) as string;
  } catch {
    return undefined;
  }
}
