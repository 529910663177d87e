import { ExportFault } from "./export-fault.ts";

/** Of one object: it is parsed whole. */
const MOST_CHARACTERS = 128 * 1024 ** 2;

const OUTSIDE_STRINGS = /["{}[\]]/g;
const IN_STRING = /["\\]/g;
const BETWEEN = /[\s,]*/y;

/**
 * Cuts a stream of text into its JSON objects: items of a list, or objects one after the other, as in
 * JSONL. One object is in memory at a time, so that a file may be of any size.
 *
 * @param most Characters of an object that goes on from one chunk to the next.
 * @throws {ExportFault} where the text is anything else.
 */
export async function* jsonObjects(
  chunks: AsyncIterable<string>,
  most = MOST_CHARACTERS,
): AsyncGenerator<string> {
  const cutter = new ObjectCutter(most);
  for await (const chunk of chunks) yield* cutter.cut(chunk);
  cutter.end();
}

class ObjectCutter {
  readonly #most: number;
  /** What has come of an object that is not complete. */
  #pieces: string[] = [];
  #length = 0;
  #depth = 0;
  #isInString = false;
  /** The last chunk ended with a backslash. */
  #isEscaped = false;
  #list: "none" | "open" | "closed" = "none";
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  *cut(chunk: string): Generator<string> {
    let at = 0;
    let start = 0;
    while (at < chunk.length) {
      if (this.#depth === 0) {
        at = this.#skip(chunk, at);
        if (at === chunk.length) return;
        start = at;
        this.#depth = 1;
        at++;
      }
      at = this.#isInString ? this.#readString(chunk, at) : this.#readStructure(chunk, at);
      if (this.#depth > 0) continue;
      yield this.#take(chunk.slice(start, at));
      start = at;
    }
    if (this.#depth > 0) this.#keep(chunk.slice(start));
  }

  end(): void {
    if (this.#depth > 0) {
      throw new ExportFault(`ends inside of object ${this.#count + 1}: the file is not complete.`);
    }
    if (this.#list === "open")
      throw new ExportFault("ends inside of its list: it is not complete.");
  }

  /** The place of the next object's first character, or the end of the chunk. */
  #skip(chunk: string, from: number): number {
    let at = from;
    for (;;) {
      BETWEEN.lastIndex = at;
      BETWEEN.test(chunk);
      at = BETWEEN.lastIndex;
      const next = chunk[at];
      if (next === undefined) return chunk.length;
      if (next === "{" && this.#list !== "closed") return at;
      if (next === "[" && this.#list === "none" && this.#count === 0) this.#list = "open";
      else if (next === "]" && this.#list === "open") this.#list = "closed";
      else throw new ExportFault(`is not JSON objects: ${JSON.stringify(next)} is in the way.`);
      at++;
    }
  }

  /** Up to and including the quote that ends the string. */
  #readString(chunk: string, from: number): number {
    let at = from;
    if (this.#isEscaped) at++;
    this.#isEscaped = false;
    for (;;) {
      IN_STRING.lastIndex = at;
      const found = IN_STRING.exec(chunk);
      if (found === null) return chunk.length;
      at = found.index + 1;
      if (found[0] === '"') {
        this.#isInString = false;
        return at;
      }
      this.#isEscaped = at === chunk.length;
      if (this.#isEscaped) return at;
      at++;
    }
  }

  /** Up to and including the next quote or bracket. */
  #readStructure(chunk: string, from: number): number {
    OUTSIDE_STRINGS.lastIndex = from;
    const found = OUTSIDE_STRINGS.exec(chunk);
    if (found === null) return chunk.length;
    if (found[0] === '"') this.#isInString = true;
    else this.#depth += found[0] === "{" || found[0] === "[" ? 1 : -1;
    return found.index + 1;
  }

  #keep(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > this.#most) {
      throw new ExportFault(
        `has an object of more than ${this.#most} characters (number ${this.#count + 1}). Export it as JSONL, or as several files.`,
      );
    }
  }

  #take(last: string): string {
    this.#count++;
    if (this.#pieces.length === 0) return last;
    const text = this.#pieces.join("") + last;
    this.#pieces = [];
    this.#length = 0;
    return text;
  }
}
