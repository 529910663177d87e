import type { Lease, ServiceUnavailable } from "../service.ts";

/** Requests that may wait for one application. More of them would come back sooner than be served. */
const MOST_WAITING = 1_000;

/** Requests that wait for a process, each for a bounded time. */
export class WaitingRoom {
  readonly #patienceMs: number;
  readonly #refusal: () => ServiceUnavailable;
  readonly #waiting = new Map<(outcome: Lease | ServiceUnavailable) => void, NodeJS.Timeout>();

  /** @param refusal What is told to one whose wait was in vain. */
  constructor(patienceMs: number, refusal: () => ServiceUnavailable) {
    this.#patienceMs = patienceMs;
    this.#refusal = refusal;
  }

  enter(): Promise<Lease | ServiceUnavailable> {
    if (this.#waiting.size >= MOST_WAITING) return Promise.resolve(this.#refusal());
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(resolve);
        resolve(this.#refusal());
      }, this.#patienceMs);
      this.#waiting.set(resolve, timer);
    });
  }

  /** Everybody has what they waited for. */
  admit(lease: () => Lease): void {
    this.#empty(lease);
  }

  /** Nobody need wait any longer. */
  refuse(): void {
    this.#empty(this.#refusal);
  }

  #empty(outcome: () => Lease | ServiceUnavailable): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const [resolve, timer] of waiting) {
      clearTimeout(timer);
      resolve(outcome());
    }
  }
}
