import { JsonWriter } from "./json-writer.ts";

/** What a generator's output may take in memory, in characters of JSON. */
const MOST_CHARACTERS = 1024 * 1024;
const MOST_CHUNKS = 100_000;

/** What a generator has given so far, up to a size. */
export class ChunkList {
  readonly #chunks: unknown[] = [];
  #count = 0;
  #characters = 0;
  #areTexts = true;

  add(chunk: unknown): void {
    this.#count += 1;
    if (this.#isFull) return;
    if (typeof chunk !== "string") this.#areTexts = false;
    this.#characters += sizeOf(chunk, MOST_CHARACTERS - this.#characters);
    if (!this.#isFull) this.#chunks.push(chunk);
  }

  /** The list, or one text if all were texts. */
  value(): unknown {
    if (this.#count === 0) return [];
    const kept = this.#areTexts ? this.#chunks.join("") : this.#chunks;
    return this.#isFull ? { truncated: true, chunks: this.#count, start: kept } : kept;
  }

  get #isFull(): boolean {
    return this.#characters > MOST_CHARACTERS || this.#chunks.length >= MOST_CHUNKS;
  }
}

function sizeOf(chunk: unknown, limit: number): number {
  if (typeof chunk === "string") return chunk.length;
  const writer = new JsonWriter({ limit });
  writer.write(chunk);
  return writer.text.length;
}
