/** What a request takes besides its body: objects for its head, its connection and its answer. */
const BYTES_PER_REQUEST = 16 * 1024;

/** Room for one request, from the first byte of its body until it is answered. */
export interface Reservation {
  /** Says how much the request takes now. @returns False when that is too much: nothing changes. */
  resize(bytes: number): boolean;
  release(): void;
}

/** Counts what all requests take that wait to be written. */
export class WaitingBytes {
  readonly #limit: number;
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  reserve(): Reservation {
    let own = 0;
    const resize = (bytes: number) => {
      const wanted = bytes + BYTES_PER_REQUEST;
      const others = this.#total - own;
      // One request always gets in, however large: otherwise it never could.
      if (others > 0 && others + wanted > this.#limit) return false;
      this.#total = others + wanted;
      own = wanted;
      return true;
    };
    const release = () => {
      this.#total -= own;
      own = 0;
    };
    return { resize, release };
  }
}
