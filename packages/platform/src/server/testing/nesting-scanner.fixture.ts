const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Reads a trace's JSON in pieces, however deep and large: notes each record's id with the number of
 * records around it, and whether every bracket is closed. A record is an object whose first key is
 * `id`; nothing else in these tests begins so.
 */
export class NestingScanner {
  /** Span id → number of records around it. */
  readonly depths = new Map<string, number>();
  readonly repeated: string[] = [];
  #level = 0;
  #records = 0;
  /** Levels at which a record is open. */
  readonly #open: number[] = [];
  #text: number[] | undefined;
  #escaped = false;
  #last = "";
  /** Strings since the last `{`. */
  #strings = 0;

  get isComplete(): boolean {
    return this.#level === 0 && this.#text === undefined && this.#records > 0;
  }

  write(piece: Uint8Array): void {
    for (const byte of piece) {
      if (this.#text !== undefined) this.#readText(this.#text, byte);
      else if (byte === QUOTE) this.#text = [];
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        this.#level++;
        this.#strings = 0;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        if (this.#open.at(-1) === this.#level) this.#open.pop();
        this.#level--;
      }
    }
  }

  #readText(text: number[], byte: number): void {
    if (!this.#escaped && byte === QUOTE) {
      this.#text = undefined;
      this.#noteString(String.fromCharCode(...text));
    } else {
      this.#escaped = !this.#escaped && byte === BACKSLASH;
      if (text.length < 32) text.push(byte);
    }
  }

  #noteString(text: string): void {
    this.#strings++;
    if (this.#strings === 2 && this.#last === "id") {
      if (this.depths.has(text)) this.repeated.push(text);
      this.depths.set(text, this.#open.length);
      this.#open.push(this.#level);
      this.#records++;
    }
    this.#last = text;
  }
}
