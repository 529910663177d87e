import type { ListContent, SpanRecord } from "@agate/protocol";
import type { SpanFilter } from "../../stores/span-query.ts";
import type { SpanStore, TraceChange, Watch } from "../../stores/span-store.ts";
import { comment, laggedEvent, serverSentEvents } from "./server-sent-event.ts";

/** What a client watches. */
export interface LiveView {
  /** Only traces that the list of traces finds by it. */
  readonly filter: SpanFilter;
  readonly content: ListContent;
}

export interface LiveFeedOptions {
  readonly store: SpanStore;
  readonly project: string;
  readonly view: LiveView;
  readonly onError: (error: unknown) => void;
  /** Called when the last client has left. */
  readonly onEmpty?: () => void;
  /** Changes of a trace within this time are one event. */
  readonly windowMs?: number;
  readonly heartbeatMs?: number;
}

/** Traces that one window may hold; of the rest only the number is told. */
const MOST_TRACES_A_WINDOW = 500;

/** Sends the tops of new and changed traces to its clients. Reads nothing while it has none. */
export class LiveFeed {
  readonly #options: Required<LiveFeedOptions>;
  readonly #clients = new Set<LiveClient>();
  /** Trace id → whether it is new. */
  #changed = new Map<string, boolean>();
  #missed = 0;
  #window: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #watch: Watch | undefined;
  #isAnnouncing = false;
  #closed = false;

  constructor(options: LiveFeedOptions) {
    this.#options = { windowMs: 250, heartbeatMs: 15_000, onEmpty: () => {}, ...options };
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
    // Only once the watch is in place, so that the client gets every commit after it.
    void this.#watch?.ready.then(() => client.connected());
    return client;
  }

  /** Ends every client's stream. */
  close(): void {
    this.#closed = true;
    for (const client of this.#clients) client.end();
  }

  #remove(client: LiveClient): void {
    if (!this.#clients.delete(client) || this.#clients.size > 0) return;
    this.#stop();
    this.#options.onEmpty();
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
    this.#openWindow();
  }

  /** One window at a time: events must not overtake those of a window that is still being read. */
  #openWindow(): void {
    if (this.#changed.size === 0 || this.#isAnnouncing) return;
    this.#window ??= setTimeout(() => void this.#flush(), this.#options.windowMs);
  }

  async #flush(): Promise<void> {
    const changed = this.#changed;
    const missed = this.#missed;
    this.#changed = new Map();
    this.#missed = 0;
    this.#window = undefined;
    this.#isAnnouncing = true;
    try {
      await this.#announce(changed, missed);
    } catch (error) {
      this.#options.onError(error);
      // The clients load the list again instead.
      this.#send(laggedEvent(changed.size + missed), changed.size + missed);
    } finally {
      this.#isAnnouncing = false;
      this.#openWindow();
    }
  }

  async #announce(changed: ReadonlyMap<string, boolean>, missed: number): Promise<void> {
    let lagged = missed;
    for (const isNew of [true, false]) {
      const traceIds = [...changed].filter(([, value]) => value === isNew).map(([id]) => id);
      if (traceIds.length === 0) continue;
      // A client may list a grown trace that matched before its new spans; of a new one it knows nothing.
      const unmatched = new Set(!isNew && this.#isFiltered ? traceIds : []);
      const unread = await this.#readTops(traceIds, (tops) => {
        this.#send(serverSentEvents(isNew ? "trace" : "update", tops), tops.length);
        if (unmatched.size > 0) for (const top of tops) unmatched.delete(traceIdOf(top));
      });
      lagged += unread;
      // Whether those match is not known; a client that has lagged loads the list again.
      if (unread > 0) continue;
      const ids = [...unmatched].map((id) => JSON.stringify({ trace_id: id }));
      if (ids.length > 0) this.#send(serverSentEvents("unmatched", ids), ids.length);
    }
    if (lagged > 0) this.#send(laggedEvent(lagged), lagged);
  }

  /** Reads the tops of those traces that match the filter; resolves with how many were not read. */
  async #readTops(
    traceIds: readonly string[],
    found: (tops: readonly string[]) => void,
  ): Promise<number> {
    const { store, project, view } = this.#options;
    const { filter, content } = view;
    const { traffic, ...others } = filter;
    if (Object.keys(others).length === 0) {
      const { tops, unread } = await store.readTops(project, traceIds, { traffic, content });
      if (tops.length > 0) found(tops);
      return unread;
    }
    // Words are indexed a moment after the commit: asked too early, the list would not find them.
    if (filter.text !== undefined) await store.searchCaughtUp();
    const limit = traceIds.length;
    const request = { project, filter: { ...filter, traceIds }, content, limit };
    let page = await store.listTraces({ ...request, after: null });
    for (;;) {
      // A list has the newest first, a stream the newest last.
      if (page.items.length > 0) found(page.items.toReversed());
      if (page.next === null) return 0;
      page = await store.listTraces({ ...request, after: page.next });
    }
  }

  get #isFiltered(): boolean {
    return Object.keys(this.#options.view.filter).length > 0;
  }

  #send(bytes: Uint8Array, traces: number): void {
    for (const client of this.#clients) client.push(bytes, traces);
  }
}

function traceIdOf(record: string): string {
  return (JSON.parse(record) as SpanRecord).trace_id;
}

type LiveFeedsOptions = Omit<LiveFeedOptions, "project" | "view" | "onEmpty">;

/** A live feed for every combination of project and view that has clients. */
export class LiveFeeds {
  readonly #options: LiveFeedsOptions;
  readonly #feeds = new Map<string, LiveFeed>();
  #closed = false;

  constructor(options: LiveFeedsOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** See {@link LiveFeed.subscribe}. */
  subscribe(project: string, view: LiveView, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const key = JSON.stringify([project, view.content, Object.entries(view.filter).sort()]);
    const feed = this.#feeds.get(key) ?? this.#open(key, project, view);
    return feed.subscribe(signal);
  }

  /** Ends every client's stream. */
  close(): void {
    this.#closed = true;
    for (const feed of this.#feeds.values()) feed.close();
  }

  #open(key: string, project: string, view: LiveView): LiveFeed {
    const onEmpty = () => this.#feeds.delete(key);
    const feed = new LiveFeed({ ...this.#options, project, view, onEmpty });
    if (this.#closed) feed.close();
    else this.#feeds.set(key, feed);
    return feed;
  }
}

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
