import type { Lease, ServiceUnavailable } from "../services.ts";
import type { BuildProcess } from "./start-build-process.ts";

/** Requests that may wait for one application. Further ones are better off with a 503 and a retry. */
const MOST_WAITING = 1_000;

/** Requests that wait for a process, each for a bounded time. */
export class WaitingRequests {
  readonly #timeoutMs: number;
  readonly #unavailable: () => ServiceUnavailable;
  readonly #waiting = new Map<(outcome: Lease | ServiceUnavailable) => void, NodeJS.Timeout>();

  /** @param unavailable The outcome of a request that has waited too long. */
  constructor(timeoutMs: number, unavailable: () => ServiceUnavailable) {
    this.#timeoutMs = timeoutMs;
    this.#unavailable = unavailable;
  }

  wait(): Promise<Lease | ServiceUnavailable> {
    if (this.#waiting.size >= MOST_WAITING) return Promise.resolve(this.#unavailable());
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(resolve);
        resolve(this.#unavailable());
      }, this.#timeoutMs);
      this.#waiting.set(resolve, timer);
    });
  }

  /** Ends the wait of all requests with a lease each. */
  grant(lease: () => Lease): void {
    this.#empty(lease);
  }

  /** Ends the wait of all requests as unavailable. */
  reject(): void {
    this.#empty(this.#unavailable);
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

export interface DrainLimits {
  /** How long running requests may go on once another build has taken over. */
  readonly drainMs: number;
  /** How long a process may take to end after SIGTERM. */
  readonly stopMs: number;
}

/** Counts the requests that use a process: it is not ended while one has a lease. */
export class LeasedProcess {
  readonly process: BuildProcess;
  /** Called when a lease finds that the process no longer accepts connections. */
  readonly #onUnreachable: () => void;
  readonly #leases = new Set<Lease>();
  #onIdle: (() => void) | undefined;

  constructor(process: BuildProcess, onUnreachable: () => void) {
    this.process = process;
    this.#onUnreachable = onUnreachable;
  }

  get leases(): number {
    return this.#leases.size;
  }

  lease(): Lease {
    const lease: Lease = {
      kind: "lease",
      socketPath: this.process.socketPath,
      release: (found) => {
        if (!this.#leases.delete(lease)) return;
        if (this.#leases.size === 0) this.#onIdle?.();
        if (found === "unreachable") this.#onUnreachable();
      },
    };
    this.#leases.add(lease);
    return lease;
  }

  /** Ends the process when its last lease is released or `drainMs` are over. @returns how many requests were cut off. */
  async retire({ drainMs, stopMs }: DrainLimits): Promise<number> {
    if (this.#leases.size > 0) await this.#idle(drainMs);
    const cutOff = this.#leases.size;
    // Ended by the holders: otherwise the process would wait for them before it sends its last spans.
    for (const lease of [...this.#leases]) lease.onTimeUp?.();
    await this.process.stop(stopMs);
    return cutOff;
  }

  /** Resolves when no lease is left, the process has ended, or the time is over. */
  #idle(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    void this.process.ended.then(() => resolve());
    const timer = setTimeout(resolve, timeoutMs);
    return promise.finally(() => clearTimeout(timer));
  }
}
