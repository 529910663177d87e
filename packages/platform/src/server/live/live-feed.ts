import type { SpanStore, TraceChange, Watch } from "../../stores/span-store.ts";
import { LiveClient } from "./live-client.ts";
import { comment, laggedEvent, serverSentEvents } from "./server-sent-event.ts";

export interface LiveFeedOptions {
  readonly store: SpanStore;
  readonly project: string;
  readonly onError: (error: unknown) => void;
  /** Changes of a trace within this time are one event. */
  readonly windowMs?: number;
  readonly heartbeatMs?: number;
}

/** Traces that one window may hold; of the rest only the number is told. */
const MOST_TRACES_A_WINDOW = 500;

/** Sends the tops of new and changed traces to whoever listens, and reads nothing while nobody does. */
export class LiveFeed {
  readonly #options: Required<LiveFeedOptions>;
  readonly #clients = new Set<LiveClient>();
  /** Trace id → whether it is new. */
  #changed = new Map<string, boolean>();
  #missed = 0;
  #window: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #watch: Watch | undefined;
  #closed = false;

  constructor(options: LiveFeedOptions) {
    this.#options = { windowMs: 250, heartbeatMs: 15_000, ...options };
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** The feed as the body of an event stream, until the signal fires or the feed closes. */
  subscribe(signal: AbortSignal): AsyncIterable<Uint8Array> {
    const client = new LiveClient(() => this.#remove(client));
    if (this.#closed || signal.aborted) {
      client.end();
      return client;
    }
    signal.addEventListener("abort", () => client.end(), { once: true });
    this.#clients.add(client);
    if (this.#clients.size === 1) this.#start();
    // Said only now: whatever is committed after it is told.
    void this.#watch?.ready.then(() => client.connected());
    return client;
  }

  /** Ends every client's stream. */
  close(): void {
    this.#closed = true;
    for (const client of this.#clients) client.end();
  }

  #remove(client: LiveClient): void {
    this.#clients.delete(client);
    if (this.#clients.size === 0) this.#stop();
  }

  #start(): void {
    const { store, heartbeatMs } = this.#options;
    this.#watch = store.watch((changes) => this.#note(changes));
    this.#heartbeat = setInterval(() => this.#send(comment("still here"), 0), heartbeatMs);
    this.#heartbeat.unref();
  }

  #stop(): void {
    this.#watch?.stop();
    clearInterval(this.#heartbeat);
    clearTimeout(this.#window);
    this.#window = undefined;
    this.#changed.clear();
    this.#missed = 0;
  }

  #note(changes: readonly TraceChange[]): void {
    for (const { project, traceId, isNew } of changes) {
      if (project !== this.#options.project) continue;
      const known = this.#changed.get(traceId);
      if (known !== undefined) {
        if (isNew) this.#changed.set(traceId, true);
      } else if (this.#changed.size < MOST_TRACES_A_WINDOW) {
        this.#changed.set(traceId, isNew);
      } else {
        this.#missed++;
      }
    }
    if (this.#changed.size > 0)
      this.#window ??= setTimeout(() => this.#flush(), this.#options.windowMs);
  }

  #flush(): void {
    const changed = this.#changed;
    const missed = this.#missed;
    this.#changed = new Map();
    this.#missed = 0;
    this.#window = undefined;
    this.#announce(changed, missed).catch(this.#options.onError);
  }

  async #announce(changed: ReadonlyMap<string, boolean>, missed: number): Promise<void> {
    const { store, project } = this.#options;
    let lagged = missed;
    for (const isNew of [true, false]) {
      const traceIds = [...changed].filter(([, value]) => value === isNew).map(([id]) => id);
      if (traceIds.length === 0) continue;
      const { tops, unread } = await store.readTops(project, traceIds);
      lagged += unread;
      if (tops.length > 0)
        this.#send(serverSentEvents(isNew ? "trace" : "update", tops), tops.length);
    }
    if (lagged > 0) this.#send(laggedEvent(lagged), lagged);
  }

  #send(bytes: Uint8Array, traces: number): void {
    for (const client of this.#clients) client.push(bytes, traces);
  }
}
