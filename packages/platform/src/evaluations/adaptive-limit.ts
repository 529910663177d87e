/** How many calls run at the same time: halved by an overload, and restored step by step afterwards. */
export class AdaptiveLimit {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #limit: number;
  #running = 0;
  /** Counts the halvings: calls that began before one say nothing about the limit after it. */
  #round = 0;
  #successes = 0;

  constructor(most: number) {
    this.#most = most;
    this.#limit = most;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Waits for room. Returns the round in which the call begins, for `release`. */
  async acquire(): Promise<number> {
    if (this.#running >= this.#limit) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    return this.#round;
  }

  release(round: number, outcome: "done" | "overloaded"): void {
    if (outcome === "overloaded") this.#halve(round);
    else if (round === this.#round) this.#restore();
    this.#running -= 1;
    while (this.#waiting.length > 0 && this.#running < this.#limit) {
      this.#running += 1;
      this.#waiting.shift()?.();
    }
  }

  /** Once for all calls that ran when a model became busy. */
  #halve(round: number): void {
    this.#successes = 0;
    if (round !== this.#round) return;
    this.#round += 1;
    this.#limit = Math.max(1, Math.floor(this.#limit / 2));
  }

  #restore(): void {
    this.#successes += 1;
    if (this.#limit >= this.#most || this.#successes < this.#limit) return;
    this.#successes = 0;
    this.#limit += 1;
  }
}
