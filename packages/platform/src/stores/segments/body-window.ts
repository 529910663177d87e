/** Bodies kept at hand while one large trace is read; its spans jump between segments. */
const WINDOW_BYTES = 16 * 1024 * 1024;

/** Segment bodies by row, the least recently used dropped first. */
export class BodyWindow {
  readonly #read: (segment: number) => Uint8Array<ArrayBuffer>;
  readonly #bodies = new Map<number, Uint8Array<ArrayBuffer>>();
  #evicted: Uint8Array<ArrayBuffer>[] = [];
  readonly #windowBytes: number;
  #bytes = 0;

  /** @param windowBytes How much is kept; tests use a small window. */
  constructor(read: (segment: number) => Uint8Array<ArrayBuffer>, windowBytes = WINDOW_BYTES) {
    this.#read = read;
    this.#windowBytes = windowBytes;
  }

  get(segment: number): Uint8Array {
    let body = this.#bodies.get(segment);
    if (body !== undefined) {
      this.#bodies.delete(segment);
    } else {
      body = this.#read(segment);
      this.#bytes += body.length;
      for (const [oldest, evicted] of this.#bodies) {
        if (this.#bytes <= this.#windowBytes) break;
        this.#bodies.delete(oldest);
        this.#bytes -= evicted.length;
        this.#evicted.push(evicted);
      }
    }
    this.#bodies.set(segment, body);
    return body;
  }

  /**
   * Gives the memory of dropped bodies back at once. The collector would leave a hundred megabytes
   * of them lying about: it sees only small objects. Nobody may still be looking at one.
   */
  freeEvicted(): void {
    for (const { buffer } of this.#evicted) buffer.transfer(0);
    this.#evicted = [];
  }
}
