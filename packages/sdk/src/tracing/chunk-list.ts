import { JsonWriter } from "./json-writer.ts";

/** What a stream's recorded output may take in memory beside its text. */
const MOST_CHUNKS = 100_000;
/** Room for what surrounds the chunks where some were left out. */
const ENVELOPE = 64;

/**
 * The chunks of a stream as far as they are recorded: at most `limit` characters of JSON. A chunk is
 * kept as its JSON, so that a later change of it is not recorded and nothing that it refers to is held.
 */
export class ChunkList {
  readonly #limit: number;
  readonly #texts: string[] = [];
  #count = 0;
  #characters = 0;
  #areStrings = true;
  /** True once something was left out. */
  #isFull = false;

  /** @param limit 0 where nothing is recorded. */
  constructor(limit: number) {
    this.#limit = limit - ENVELOPE;
  }

  add(chunk: unknown): void {
    this.#count += 1;
    if (typeof chunk !== "string") this.#areStrings = false;
    if (this.#isFull) return;
    const room = this.#limit - this.#characters;
    if (room <= 0 || this.#texts.length >= MOST_CHUNKS) {
      this.#isFull = true;
    } else if (typeof chunk === "string") {
      const start = startWithin(chunk, room);
      this.#isFull = start !== chunk;
      this.#keep(JSON.stringify(start));
    } else {
      const writer = new JsonWriter({ limit: room });
      writer.write(chunk);
      this.#isFull = writer.isFull;
      if (!writer.isFull) this.#keep(writer.text);
    }
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** The list of the chunks, or one string where all are strings. */
  value(): unknown {
    if (this.#count === 0) return [];
    const chunks = this.#texts.map((text): unknown => JSON.parse(text));
    const kept = this.#areStrings ? chunks.join("") : chunks;
    return this.#isFull ? { truncated: true, chunks: this.#count, start: kept } : kept;
  }

  #keep(text: string): void {
    this.#texts.push(text);
    // Strings are joined, so that their quotes do not count; others have a comma each.
    this.#characters += this.#areStrings ? text.length - 2 : text.length + 1;
  }
}

/** As much of a string as has at most `room` characters of JSON between its quotes. */
function startWithin(text: string, room: number): string {
  let start = text.slice(0, room);
  for (;;) {
    const length = JSON.stringify(start).length - 2;
    if (length <= room) return start;
    // Escapes take several characters: shorten in proportion, by at least one.
    start = start.slice(0, Math.min(Math.floor((start.length * room) / length), start.length - 1));
  }
}
