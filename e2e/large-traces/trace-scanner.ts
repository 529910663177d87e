const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Keys and ids are shorter; of a longer text only the end is looked for. */
const LONGEST_KEPT = 64;

interface Container {
  readonly kind: "record" | "object" | "children" | "list";
  key: string;
  expectsKey: boolean;
  id: string;
  parentId: string | null;
}

/** One span record of a trace that is being read. */
export interface ScannedSpan {
  readonly id: string;
  readonly parentId: string | null;
  /** The record that it is nested in; null for the top. */
  readonly nestedIn: string | null;
}

/**
 * Reads a trace's JSON piece by piece, however large and deep, and keeps none of it: tells of each
 * span record, and in the end whether the text was one whole value.
 */
export class TraceScanner {
  readonly #onSpan: (span: ScannedSpan) => void;
  readonly #open: Container[] = [];
  /** The records among them. */
  readonly #records: Container[] = [];
  /** What was read of a text that goes on in the next piece. */
  #text: string | undefined;
  #isEscaped = false;
  #bytes = 0;
  #ended = false;

  constructor(onSpan: (span: ScannedSpan) => void) {
    this.#onSpan = onSpan;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** True when every bracket was closed. */
  get isComplete(): boolean {
    return this.#ended;
  }

  write(piece: Buffer): void {
    this.#bytes += piece.length;
    let at = 0;
    while (at < piece.length) {
      if (this.#text !== undefined) at = this.#readText(piece, at, this.#text);
      else this.#readMark(piece[at++] as number);
    }
  }

  #readMark(byte: number): void {
    if (this.#ended && byte > 0x20) throw new Error("Something follows the end of the JSON");
    const inside = this.#open.at(-1);
    switch (byte) {
      case QUOTE:
        this.#text = "";
        break;
      case OPEN_OBJECT: {
        const isRecord = inside === undefined || inside.kind === "children";
        this.#push(isRecord ? "record" : "object");
        break;
      }
      case OPEN_LIST: {
        const isChildren = inside?.kind === "record" && inside.key === "children";
        this.#push(isChildren ? "children" : "list");
        break;
      }
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        if (this.#open.pop()?.kind === "record") this.#records.pop();
        this.#ended = this.#open.length === 0;
        break;
      case COLON:
        if (inside !== undefined) inside.expectsKey = false;
        break;
      case COMMA:
        if (inside !== undefined) inside.expectsKey = true;
        break;
    }
  }

  #push(kind: Container["kind"]): void {
    const container: Container = { kind, key: "", expectsKey: true, id: "", parentId: null };
    this.#open.push(container);
    if (kind === "record") this.#records.push(container);
  }

  /** @returns Where the text ends in this piece, or the piece's end. */
  #readText(piece: Buffer, from: number, before: string): number {
    const at = this.#endOfText(piece, from);
    const isKept = before.length + at - from <= LONGEST_KEPT && this.#isTold();
    const text = isKept ? before + piece.toString("latin1", from, at) : before;
    if (at === piece.length) {
      this.#text = text;
      return at;
    }
    this.#text = undefined;
    this.#noteText(text);
    return at + 1;
  }

  #endOfText(piece: Buffer, from: number): number {
    let isEscaped = this.#isEscaped;
    let at = from;
    for (; at < piece.length; at++) {
      const byte = piece[at];
      if (isEscaped) isEscaped = false;
      else if (byte === QUOTE) break;
      else isEscaped = byte === BACKSLASH;
    }
    this.#isEscaped = isEscaped;
    return at;
  }

  /** Keys of a record, and those of its values that are told: few of all the texts. */
  #isTold(): boolean {
    const inside = this.#open.at(-1);
    if (inside?.kind !== "record") return false;
    return inside.expectsKey || inside.key === "id" || inside.key === "parent_span_id";
  }

  #noteText(text: string): void {
    const inside = this.#open.at(-1);
    if (inside === undefined) return;
    const isObject = inside.kind === "record" || inside.kind === "object";
    if (isObject && inside.expectsKey) {
      inside.key = text;
      // The last key of a record: everything else is known by then.
      if (inside.kind === "record" && text === "children") this.#tell(inside);
    } else if (inside.kind === "record" && inside.key === "id") inside.id = text;
    else if (inside.kind === "record" && inside.key === "parent_span_id") inside.parentId = text;
  }

  #tell({ id, parentId }: Container): void {
    this.#onSpan({ id, parentId, nestedIn: this.#records.at(-2)?.id ?? null });
  }
}
