const MICROSECONDS = 1_000;

/**
 * Numbers the writes of this process: microseconds since 1970, each higher than the one before. Those
 * of other replicas fall between them, as long as the clocks agree.
 */
export class VersionClock {
  #last = 0;

  next(): number {
    // The clock has milliseconds: what replicas write in the same one should not have the same number.
    const now = Date.now() * MICROSECONDS + Math.floor(Math.random() * MICROSECONDS);
    this.#last = Math.max(this.#last + 1, now);
    return this.#last;
  }
}
