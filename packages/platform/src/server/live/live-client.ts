import { comment, laggedEvent } from "./server-sent-event.ts";

/** What may wait for a client that reads slower than traces arrive. */
const MOST_QUEUED_BYTES = 1024 * 1024;
const RETRY_MS = 2000;

/**
 * One listener's end of the feed. Memory is bounded: what does not fit is dropped and counted, and
 * the client is told once it has caught up.
 */
export class LiveClient implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #onEnd: (client: LiveClient) => void;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #missed = 0;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(onEnd: (client: LiveClient) => void) {
    this.#onEnd = onEnd;
  }

  /** Tells it that it misses nothing from here on. */
  connected(): void {
    this.push(comment("connected", RETRY_MS), 0);
  }

  /** @param traces How many traces' events the bytes hold. */
  push(bytes: Uint8Array, traces: number): void {
    if (this.#ended) return;
    if (this.#queuedBytes > 0 && this.#queuedBytes + bytes.length > MOST_QUEUED_BYTES) {
      this.#missed += traces;
      return;
    }
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    this.#wake?.();
  }

  /** What was pushed is still delivered, then the iteration is over. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd(this);
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const bytes = this.#queue.shift();
      if (bytes !== undefined) {
        this.#queuedBytes = Math.max(0, this.#queuedBytes - bytes.length);
        return { done: false, value: bytes };
      }
      if (this.#missed > 0) {
        const event = laggedEvent(this.#missed);
        this.#missed = 0;
        return { done: false, value: event };
      }
      if (this.#ended) return { done: true, value: undefined };
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#queue = [];
    this.#missed = 0;
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
