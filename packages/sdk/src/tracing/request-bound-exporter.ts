import { keepRequestAlive } from "../runtime/workers-runtime.ts";
import { QueuedExporter } from "./queued-exporter.ts";
import type { Batch } from "./span-queue.ts";

/** A batch counts as lost with its request after this many timeouts, and is sent again. */
const ATTEMPTS_PER_LEASE = 2;

/**
 * The exporter for Cloudflare Workers, where timers and connections belong to one request and end with it,
 * without a callback. It has no timers of its own: every request sends what waits when it ends, and the
 * runtime is asked to keep the request alive meanwhile. No request waits for another one's work. Should a
 * request be cancelled while it sends, its batch goes back to the queue when its lease is over, and the
 * next request sends it. The platform drops duplicates by their span ids.
 */
export class RequestBoundExporter extends QueuedExporter {
  /** Until when the batches that were taken have to be settled, by `performance.now()`. */
  readonly #leases = new Map<Batch, number>();
  /** When the request that ended the first of the waiting spans sends them, even if it has not ended. */
  #sendsAt = 0;

  flush(): Promise<void> {
    const { flushMs } = this.limits;
    const sending = this.#sendWaiting(performance.now() + flushMs);
    keepRequestAlive(sending);
    return endingWithin(flushMs, sending);
  }

  protected async drain(): Promise<void> {
    await this.flush();
    this.#leases.clear();
  }

  /**
   * For spans that end in no call of the app (in a scheduled event, or a function of yours): their own
   * request sends them after the usual interval, or at once where they are a full batch.
   */
  added(): void {
    const now = performance.now();
    const { intervalMs, flushMs } = this.limits;
    const isFull = this.queue.hasFullBatch && now >= this.delivery.retryAt;
    if (!isFull && now < this.#sendsAt) return;
    this.#sendsAt = now + intervalMs;
    // In the global scope of a worker there is neither a timer nor a request: the next one sends them.
    try {
      const due = isFull ? Promise.resolve() : pause(intervalMs);
      keepRequestAlive(due.then(() => this.#sendWaiting(performance.now() + flushMs)));
    } catch {
      this.#sendsAt = 0;
    }
  }

  /** Sends batch by batch, and tries again until a deadline where the platform does not take one. */
  async #sendWaiting(deadline: number): Promise<void> {
    for (;;) {
      this.#reclaimLapsed();
      if (!this.queue.hasWaiting) return;
      const now = performance.now();
      const wait = this.delivery.retryAt - now;
      if (now + Math.max(wait, 0) > deadline) return;
      if (wait > 0) await pause(wait);
      else await this.#deliver(this.queue.take());
    }
  }

  async #deliver(batch: Batch): Promise<void> {
    const { timeoutMs } = this.limits;
    this.#leases.set(batch, performance.now() + ATTEMPTS_PER_LEASE * timeoutMs);
    await this.delivery.deliver(batch);
    this.#leases.delete(batch);
  }

  #reclaimLapsed(): void {
    const now = performance.now();
    for (const [batch, until] of this.#leases) {
      if (now < until) continue;
      this.#leases.delete(batch);
      this.queue.putBack(batch);
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Resolves with the work, or without it when its time is up. */
async function endingWithin(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, timeUp]);
  clearTimeout(timer);
}
