import { readEvents, reconnect } from "@agate/protocol/client";
import type { Clock } from "./clock.ts";

/** In characters. The events have next to no data, so a body with a longer one is something else. */
const LONGEST_EVENT = 1 << 20;

/** The server sends a comment at least every 15 s: after this long the connection is dead, even if TCP has not noticed. */
const SILENCE = 45_000;
const SHORTEST_PAUSE = 250;
const LONGEST_PAUSE = 30_000;
/** A connection that lasted this long says that the server is well, so the next pause is short again. */
const HEALTHY = 10_000;

export type ChangesConnection =
  | { readonly kind: "open"; readonly body: ReadableStream<Uint8Array> }
  | { readonly kind: "failed"; readonly reason: string };

export interface ChangeStreamOptions {
  readonly clock: Clock;
  /** 0 to 1: spreads the replicas of an app that all lost the same server. */
  readonly random: () => number;
  readonly connect: (signal: AbortSignal) => Promise<ChangesConnection>;
  /** From now on no change is missed. */
  readonly onOpen: () => void;
  readonly onChange: () => void;
  /** The server was last heard at `heardAt`; what changed since may have been missed. */
  readonly onLost: (heardAt: number) => void;
  readonly onFailure: (reason: string) => void;
}

/** Listens to an application's changes, and reconnects whenever the connection is lost. */
export class ChangeStream {
  readonly #options: ChangeStreamOptions;
  readonly #ended: Promise<void>;
  readonly #stopping = new AbortController();

  constructor(options: ChangeStreamOptions) {
    this.#options = options;
    this.#ended = reconnect({
      connect: (established) => this.#listen(established),
      signal: this.#stopping.signal,
      firstMs: SHORTEST_PAUSE,
      longestMs: LONGEST_PAUSE,
      random: options.random,
      pause: (milliseconds, signal) => this.#pause(milliseconds, signal),
    });
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** After it no callback is called. */
  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#ended;
  }

  /** One connection, from its request to its end. */
  async #listen(established: () => void): Promise<void> {
    const { clock, connect, onChange, onFailure, onLost, onOpen } = this.#options;
    const leaving = new AbortController();
    const leave = () => leaving.abort();
    this.#stopping.signal.addEventListener("abort", leave, { once: true });
    const startedAt = clock.now();
    let heardAt = startedAt;
    let isOpen = false;
    const unwatch = this.#watch(() => heardAt, leaving);
    try {
      const connection = await connect(leaving.signal);
      if (this.#isStopped) return;
      if (connection.kind === "failed") return onFailure(connection.reason);
      heardAt = clock.now();
      isOpen = true;
      onOpen();
      const onChunk = () => {
        heardAt = clock.now();
      };
      const { signal } = leaving;
      const events = readEvents(connection.body, { onChunk, signal, maxLength: LONGEST_EVENT });
      for await (const { event } of events) {
        if (this.#isStopped) return;
        if (event === "config") onChange();
      }
    } catch (error) {
      if (!this.#isStopped) onFailure(`It broke off (${String(error)}).`);
    } finally {
      unwatch();
      this.#stopping.signal.removeEventListener("abort", leave);
      leaving.abort();
      if (clock.now() - startedAt >= HEALTHY) established();
      if (isOpen && !this.#isStopped) onLost(heardAt);
    }
  }

  /** Leaves the connection once it has been silent for too long. */
  #watch(heardAt: () => number, leaving: AbortController): () => void {
    const { clock } = this.#options;
    const look = (): void => {
      const left = heardAt() + SILENCE - clock.now();
      if (left > 0) cancel = clock.after(left, look);
      else leaving.abort(new Error(`nothing was heard for ${SILENCE / 1000} s`));
    };
    let cancel = clock.after(SILENCE, look);
    return () => cancel();
  }

  #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const cancel = this.#options.clock.after(milliseconds, end);
      signal.addEventListener("abort", end, { once: true });
    });
  }
}
