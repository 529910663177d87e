/**
 * Back-pressure from the store: limits the bytes that were passed to it and are not on disk yet. Further
 * work waits, first in, first out.
 */
export class BytesInFlight {
  readonly #limit: number;
  readonly #waiting: { readonly bytes: number; readonly enter: () => void }[] = [];
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Resolves when there is room. More than the limit gets in alone. */
  async enter(bytes: number): Promise<void> {
    if (this.#waiting.length > 0 || !this.#fits(bytes)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push({ bytes, enter: resolve });
      return promise;
    }
    this.#bytes += bytes;
  }

  leave(bytes: number): void {
    this.#bytes -= bytes;
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined || !this.#fits(first.bytes)) return;
      this.#waiting.shift();
      this.#bytes += first.bytes;
      first.enter();
    }
  }

  #fits(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#limit;
  }
}
