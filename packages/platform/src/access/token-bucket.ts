/** How many requests a second a key may send in the long run, and how many at once after a rest. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** Lets so many requests a second pass, and tells the others how long to wait. */
export class TokenBucket {
  readonly #limit: RateLimit;
  #tokens: number;
  #filledAt: number;

  /** @param now Milliseconds. */
  constructor(limit: RateLimit, now: number) {
    this.#limit = limit;
    this.#tokens = limit.burst;
    this.#filledAt = now;
  }

  /** Takes a token: 0. Where there is none, the whole seconds until there is one. */
  take(now: number): number {
    const { perSecond, burst } = this.#limit;
    // A clock that was put back must not lock anybody out.
    const elapsed = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(burst, this.#tokens + (elapsed / 1000) * perSecond);
    this.#filledAt = now;
    if (this.#tokens < 1) return Math.max(1, Math.ceil((1 - this.#tokens) / perSecond));
    this.#tokens -= 1;
    return 0;
  }
}
