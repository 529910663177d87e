const NOTHING = Buffer.allocUnsafeSlow(0);
/** A chunk is full a little before its end, so that the piece that fills it seldom needs a wider one. */
const SLACK = 32 * 1024;

/** Collects bytes into one buffer after another, each handed out whole. */
export class ChunkWriter {
  readonly #size: number;
  #chunk: Buffer<ArrayBuffer> = NOTHING;
  #length = 0;

  /** @param size What a chunk usually holds; a larger piece gets a chunk as large as itself. */
  constructor(size: number) {
    this.#size = size;
  }

  get isFull(): boolean {
    return this.#length >= this.#size;
  }

  /** ASCII only. */
  writeText(text: string): void {
    this.#makeRoom(text.length);
    this.#length += this.#chunk.write(text, this.#length, "latin1");
  }

  writeBytes(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#chunk.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Everything written since the last time. */
  take(): Uint8Array<ArrayBuffer> {
    const chunk = this.#chunk.subarray(0, this.#length);
    this.#chunk = NOTHING;
    this.#length = 0;
    return chunk;
  }

  #makeRoom(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#chunk.length) return;
    // Not from the pool that others share: whoever sends the chunk may free it.
    const wider = Buffer.allocUnsafeSlow(Math.max(this.#size + SLACK, needed));
    wider.set(this.#chunk.subarray(0, this.#length));
    this.#chunk = wider;
  }
}
