import { readEvents } from "../runtime/read-events.ts";
import type { Clock } from "./clock.ts";

/** Characters; the events have next to no data, so a longer line is something else. */
const LONGEST_LINE = 1 << 20;

/** The server sends a comment at least every 15 s: after this long it is gone, whatever TCP thinks. */
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

/** Hears of an application's changes, and connects again whenever the connection is lost. */
export class ChangeStream {
  readonly #options: ChangeStreamOptions;
  readonly #ended: Promise<void>;
  #isStopped = false;
  /** Ends what is being waited for. */
  #interrupt: () => void = () => {};

  constructor(options: ChangeStreamOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  /** After it no callback is called. */
  stop(): Promise<void> {
    this.#isStopped = true;
    this.#interrupt();
    return this.#ended;
  }

  async #run(): Promise<void> {
    const { clock, random } = this.#options;
    let pause = SHORTEST_PAUSE;
    while (!this.#isStopped) {
      const startedAt = clock.now();
      await this.#listen();
      if (this.#isStopped) return;
      if (clock.now() - startedAt >= HEALTHY) pause = SHORTEST_PAUSE;
      await this.#pause(pause * (0.5 + random() / 2));
      pause = Math.min(LONGEST_PAUSE, pause * 2);
    }
  }

  /** One connection, from its request to its end. */
  async #listen(): Promise<void> {
    const { clock, connect, onChange, onFailure, onLost, onOpen } = this.#options;
    const leaving = new AbortController();
    this.#interrupt = () => leaving.abort();
    let heardAt = clock.now();
    let isOpen = false;
    const unwatch = this.#watch(() => heardAt, leaving);
    try {
      const connection = await connect(leaving.signal);
      if (this.#isStopped) return;
      if (connection.kind === "failed") return onFailure(connection.reason);
      heardAt = clock.now();
      isOpen = true;
      onOpen();
      const heard = () => {
        heardAt = clock.now();
      };
      const { signal } = leaving;
      const events = readEvents(connection.body, { heard, signal, longestLine: LONGEST_LINE });
      for await (const { event } of events) {
        if (this.#isStopped) return;
        if (event === "config") onChange();
      }
    } catch (error) {
      if (!this.#isStopped) onFailure(`It broke off (${String(error)}).`);
    } finally {
      unwatch();
      leaving.abort();
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

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(milliseconds, resolve);
      this.#interrupt = () => {
        cancel();
        resolve();
      };
    });
  }
}
