import type { BuildProcess } from "../build-process.ts";
import type { Lease } from "../service.ts";

export interface DrainLimits {
  /** How long requests under way may go on once another build has taken over. */
  readonly drainMs: number;
  /** How long a process may take to end once it was asked to. */
  readonly stopMs: number;
}

/** A process that is not ended while anybody has a lease of it. */
export class LeasedProcess {
  readonly process: BuildProcess;
  /** Told once, when a process does not take connections any more though it has not ended. */
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

  /** Ends the process when its last lease is given back, or time is up. @returns how many were not. */
  async retire({ drainMs, stopMs }: DrainLimits): Promise<number> {
    if (this.#leases.size > 0) await this.#idle(drainMs);
    const brokenOff = this.#leases.size;
    // By us, and not by killing the process: it would wait for them, and its last spans with it.
    for (const lease of [...this.#leases]) lease.onTimeUp?.();
    await this.process.stop(stopMs);
    return brokenOff;
  }

  /** Resolves when no lease is out, the process has ended by itself, or time is up. */
  #idle(patienceMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    void this.process.ended.then(() => resolve());
    const timer = setTimeout(resolve, patienceMs);
    return promise.finally(() => clearTimeout(timer));
  }
}
