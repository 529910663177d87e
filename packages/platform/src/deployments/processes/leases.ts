import type { Lease, ServiceUnavailable } from "../services.ts";
import { BuildRoutes } from "./build-routes.ts";
import type { ProcessCondition } from "./process-condition.ts";
import { ProcessWatch, type WatchLimits } from "./process-watch.ts";
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

  get count(): number {
    return this.#waiting.size;
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
  /** How long running requests may go on, at most, once another build has taken over. */
  readonly drainMs: number;
  /** How long a process may take to end after SIGTERM. */
  readonly stopMs: number;
}

export interface LeasedProcessOptions {
  /** Null: the process is not watched. */
  readonly watch: WatchLimits | null;
  /** Called when a lease finds that the process no longer accepts connections. */
  readonly onUnreachable: () => void;
  /** Called after every health check. */
  readonly onChecked: (condition: ProcessCondition) => void;
}

interface HeldLease extends Lease {
  /** Among the leases of its process; negative once it is released. */
  place: number;
}

/** Counts the requests that use a process: it is not ended while one has a lease. */
export class LeasedProcess {
  readonly process: BuildProcess;
  readonly #onUnreachable: () => void;
  readonly #watch: ProcessWatch;
  readonly #routes: BuildRoutes;
  /**
   * In no order. Not a set: V8 makes a new table for a set after every few dozen entries, and the old
   * tables, once in the old generation, keep the leases in them until a full collection.
   */
  readonly #leases: HeldLease[] = [];
  #idleSince = performance.now();
  /** Resolves when it is retired and no lease is left, or the time of its leases is over. */
  readonly #drained = Promise.withResolvers<void>();
  #drainsUntil = Number.POSITIVE_INFINITY;
  #drainTimer: NodeJS.Timeout | undefined;
  #stopMs = Number.POSITIVE_INFINITY;
  #retirement: Promise<number> | undefined;
  #isEnding = false;

  constructor(process: BuildProcess, { watch, onUnreachable, onChecked }: LeasedProcessOptions) {
    this.process = process;
    this.#routes = new BuildRoutes(process.openapi);
    this.#onUnreachable = onUnreachable;
    this.#watch = new ProcessWatch(process, watch, onChecked);
  }

  get leases(): number {
    return this.#leases.length;
  }

  /** Since when it has had no request; infinite while it has one. */
  get idleSince(): number {
    return this.#leases.length === 0 ? this.#idleSince : Number.POSITIVE_INFINITY;
  }

  /** As of its last health check. */
  get condition(): ProcessCondition {
    return this.#watch.condition;
  }

  /** As of its last health check; undefined where it is not known. */
  get residentBytes(): number | undefined {
    return this.#watch.residentBytes;
  }

  lease(): Lease {
    const lease: HeldLease = {
      kind: "lease",
      socketPath: this.process.socketPath,
      routes: this.#routes,
      release: (found) => this.#release(lease, found),
      place: this.#leases.length,
    };
    this.#leases.push(lease);
    return lease;
  }

  #release(lease: HeldLease, found: "unreachable" | undefined): void {
    const { place } = lease;
    if (place < 0) return;
    lease.place = -1;
    const last = this.#leases.pop() as HeldLease;
    if (last !== lease) {
      last.place = place;
      this.#leases[place] = last;
    }
    this.#idleSince = performance.now();
    if (this.#leases.length === 0 && this.#retirement !== undefined) this.#drained.resolve();
    if (found === "unreachable") this.#onUnreachable();
  }

  /**
   * Ends the process when its last lease is released or `drainMs` are over. A later call may shorten the
   * time, and gets the same result.
   *
   * @returns how many requests were cut off.
   */
  retire({ drainMs, stopMs }: DrainLimits): Promise<number> {
    this.#retirement ??= this.#endOnceDrained();
    this.#stopMs = Math.min(this.#stopMs, stopMs);
    const drainsUntil = performance.now() + drainMs;
    if (this.#isEnding) void this.process.stop(this.#stopMs);
    else if (this.#leases.length === 0) this.#drained.resolve();
    else if (drainsUntil < this.#drainsUntil) {
      clearTimeout(this.#drainTimer);
      this.#drainsUntil = drainsUntil;
      this.#drainTimer = setTimeout(this.#drained.resolve, drainMs);
    }
    return this.#retirement;
  }

  /** Ends the process at once. Requests that it has not read are sent to the next one by their holders. */
  async kill(): Promise<void> {
    this.#watch.close();
    await this.process.stop(0);
  }

  async #endOnceDrained(): Promise<number> {
    await Promise.race([this.#drained.promise, this.process.ended]);
    clearTimeout(this.#drainTimer);
    this.#isEnding = true;
    const cutOff = this.#leases.length;
    // Ended by the holders: otherwise the process would wait for them before it sends its last spans.
    for (const lease of [...this.#leases]) lease.holder?.onTimeUp();
    // It stops listening on SIGTERM: that is no missed check.
    this.#watch.close();
    await this.process.stop(this.#stopMs);
    return cutOff;
  }
}
