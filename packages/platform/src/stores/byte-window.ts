/** Kept at hand while one large trace or page is read; consecutive spans lie in different segments. */
const WINDOW_BYTES = 16 * 1024 * 1024;

/** Bytes by key, up to a number of bytes in all: what was added longest ago is dropped first. */
export class ByteWindow<Key, Bytes extends Uint8Array = Uint8Array> {
  readonly #kept = new Map<Key, Bytes>();
  readonly #limit: number;
  #bytes = 0;

  /** @param limit How many bytes are kept; tests use a small window. */
  constructor(limit = WINDOW_BYTES) {
    this.#limit = limit;
  }

  get(key: Key): Bytes | undefined {
    return this.#kept.get(key);
  }

  /** Adds bytes as the newest. Bytes that are there already become the newest again. */
  add(key: Key, bytes: Bytes): void {
    if (!this.#kept.delete(key)) this.#bytes += bytes.length;
    this.#kept.set(key, bytes);
  }

  /**
   * Drops the oldest until the others fit; the newest stays, however large it is.
   *
   * @param onDrop Called with the bytes that are dropped.
   */
  shrink(onDrop?: (bytes: Bytes) => void): void {
    for (const [oldest, bytes] of this.#kept) {
      if (this.#bytes <= this.#limit || this.#kept.size === 1) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytes.length;
      onDrop?.(bytes);
    }
  }
}

/**
 * Frees the memory of bytes at once: the garbage collector, which sees only small objects, would keep a
 * hundred megabytes of them. No view of the bytes may be in use any more.
 */
export function freeMemory({ buffer }: Uint8Array<ArrayBuffer>): void {
  buffer.transfer(0);
}
