/** Bodies cached while one large trace is read; consecutive spans lie in different segments. */
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
   * Frees the memory of evicted bodies at once: the garbage collector, which sees only small objects, would
   * keep a hundred megabytes of them. No view of an evicted body may be in use any more.
   */
  freeEvicted(): void {
    for (const { buffer } of this.#evicted) buffer.transfer(0);
    this.#evicted = [];
  }
}
