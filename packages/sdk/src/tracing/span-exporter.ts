import { onExit, unheldTimer } from "../runtime/process-lifetime.ts";
import { QueuedExporter } from "./queued-exporter.ts";

/** Requests at a time. */
const LANES = 2;

interface Waiter {
  /** The order of the last span that is waited for. */
  readonly upTo: number;
  /** True to go on waiting when an attempt has failed, as long as another may follow. */
  readonly patient: boolean;
  /** When it gives up, by `performance.now()`. */
  readonly until: number;
  readonly resolve: () => void;
}

/**
 * Sends spans to the platform in batches, in the background. While the platform cannot take them they
 * stay queued; only a full queue loses spans, and counts them.
 */
export class SpanExporter extends QueuedExporter {
  readonly #waiters = new Set<Waiter>();
  #timer: { readonly at: number; readonly cancel: () => void } | undefined;
  #removeExitHooks: (() => void) | undefined;
  #sending = 0;
  /** Spans up to this one go without waiting for a full batch. */
  #dueUpTo = 0;

  added(): void {
    this.#removeExitHooks ??= this.#addExitHooks();
    if (this.queue.hasFullBatch) this.#schedule(0);
    else if (this.#timer === undefined) this.#schedule(this.limits.intervalMs);
  }

  /** A process that exits on its own sends its spans first, or warns that it could not. */
  #addExitHooks(): () => void {
    const removeBefore = onExit("beforeExit", () => {
      // One attempt: a script should not take longer because no platform runs. A running request would keep the
      // process alive until its timeout.
      void this.#flush("one-attempt").then(() => this.delivery.abort());
    });
    const removeExit = onExit("exit", () => this.report.abandoned(this.queue.clear()));
    return () => {
      removeBefore();
      removeExit();
    };
  }

  /** Where the platform has been down for longer than a flush may take, one attempt is made: calls may wait for it. */
  flush(): Promise<void> {
    return this.#flush(this.delivery.hasFailedFor(this.limits.flushMs) ? "one-attempt" : "retry");
  }

  #flush(mode: "one-attempt" | "retry"): Promise<void> {
    const isTooLong = this.delivery.askedUntil > performance.now() + this.limits.flushMs;
    return isTooLong ? Promise.resolve() : this.#settled(mode === "retry");
  }

  protected async drain(): Promise<void> {
    await this.#settled(true);
    this.#timer?.cancel();
    this.#removeExitHooks?.();
  }

  #settled(patient: boolean): Promise<void> {
    const upTo = this.queue.lastOrder;
    const { flushMs } = this.limits;
    const { askedUntil } = this.delivery;
    if (!this.queue.holdsUpTo(upTo)) return Promise.resolve();
    return new Promise((resolve) => {
      // Unlike the others, this timer keeps the process alive: the caller awaits the flush.
      const timer = setTimeout(() => waiter.resolve(), flushMs);
      const waiter: Waiter = {
        upTo,
        patient,
        until: performance.now() + flushMs,
        resolve: () => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve();
        },
      };
      // Each flush of many at a time would otherwise fail once more and lengthen the back-off beyond the time of all.
      const isRetrying = patient && !this.isStopped && this.#waiters.size > 0;
      this.#waiters.add(waiter);
      this.#dueUpTo = upTo;
      // A longer pause that the platform asked for is only ignored at shutdown, which is the last chance.
      if (!isRetrying) this.delivery.retryFrom(askedUntil > waiter.until ? 0 : askedUntil);
      this.#pump();
    });
  }

  #schedule(delay: number): void {
    const at = Math.max(performance.now() + delay, this.delivery.retryAt);
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    this.#timer?.cancel();
    const cancel = this.delivery.detached(() =>
      unheldTimer(Math.max(at - performance.now(), 0), () => {
        this.#timer = undefined;
        this.#dueUpTo = this.queue.lastOrder;
        this.#pump();
      }),
    );
    this.#timer = { at, cancel };
  }

  /** After shutdown gave up: spans in running requests were counted as lost. */
  get #isOver(): boolean {
    return this.isStopped && this.#waiters.size === 0;
  }

  #pump(): void {
    if (this.#isOver) return;
    // One request at a time while the platform fails.
    const lanes = this.delivery.isFailing ? 1 : LANES;
    while (this.#sending < lanes && this.#isDue()) {
      this.#sending += 1;
      const batch = this.queue.take();
      void this.delivery.deliver(batch).then((isDelivered) => {
        this.#sending -= 1;
        this.#settleWaiters(isDelivered);
        this.#pump();
      });
    }
    if (this.#sending === 0 && this.queue.size > 0) {
      this.#schedule(this.#isDueSoon() ? 0 : this.limits.intervalMs);
    }
  }

  #isDue(): boolean {
    return this.#isDueSoon() && performance.now() >= this.delivery.retryAt;
  }

  #isDueSoon(): boolean {
    return this.queue.nextOrder <= this.#dueUpTo || this.queue.hasFullBatch;
  }

  #settleWaiters(isDelivered: boolean): void {
    for (const waiter of this.#waiters) {
      // Waiting out the time would send nothing: no request runs, and the next attempt comes too late.
      const isTooLate = this.#sending === 0 && this.delivery.retryAt > waiter.until;
      const hasFailed = !isDelivered && !waiter.patient;
      if (isTooLate || hasFailed || !this.queue.holdsUpTo(waiter.upTo)) waiter.resolve();
    }
  }
}
