import type { Clock } from "./clock.ts";

/** A clock that stands still until it is moved. */
export class FakeClock implements Clock {
  #now = 0;
  #timers: { readonly at: number; readonly callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Times at which something is due, from now. */
  get due(): number[] {
    return this.#timers.map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  advance(milliseconds: number): void {
    const until = this.#now + milliseconds;
    for (;;) {
      const [next] = this.#timers.toSorted((a, b) => a.at - b.at);
      if (next === undefined || next.at > until) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#now = next.at;
      next.callback();
    }
    this.#now = until;
  }
}
