import type { ApplicationRef, Registry } from "../../registry/registry.ts";
import { comment, serverSentEvents } from "../live/server-sent-event.ts";

export type ChangeStreamsOptions = Pick<TopicOptions, "registry" | "onError"> &
  Partial<TopicOptions>;

/** The event streams of changed configurations, for every application that has clients. */
export class ChangeStreams {
  readonly #options: TopicOptions;
  readonly #topics = new Map<string, ChangeTopic>();
  #closed = false;

  constructor(options: ChangeStreamsOptions) {
    this.#options = { windowMs: 25, heartbeatMs: 10_000, ...options };
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /**
   * The body of an event stream, until the signal fires, the application goes, or all is closed. What
   * is committed after this returns is told.
   */
  subscribe(name: TopicName, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const key = JSON.stringify([name.ref.project, name.ref.application, name.applicationId]);
    const topic = this.#topics.get(key) ?? new ChangeTopic(name, this.#options);
    this.#topics.set(key, topic);
    const stream = topic.add();
    const leave = () => {
      topic.remove(stream);
      if (!topic.isEmpty) return;
      topic.close();
      this.#topics.delete(key);
    };
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted || this.#closed) leave();
    return stream.read();
  }

  close(): void {
    this.#closed = true;
    for (const topic of this.#topics.values()) topic.close();
    this.#topics.clear();
  }
}

/** Which application a client listens to: what it called it, and which one that was. */
interface TopicName {
  readonly ref: ApplicationRef;
  readonly applicationId: string;
}

interface TopicOptions {
  readonly registry: Pick<Registry, "applications" | "changes">;
  readonly onError: (error: unknown) => void;
  /** Changes within this time are one event. At most 100: the client counts on it. */
  readonly windowMs: number;
  /** At most 15,000. */
  readonly heartbeatMs: number;
}

/** The clients of one application under one name. */
class ChangeTopic {
  readonly #name: TopicName;
  readonly #options: TopicOptions;
  readonly #streams = new Set<ChangeStream>();
  readonly #stopListening: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #window: NodeJS.Timeout | undefined;

  constructor(name: TopicName, options: TopicOptions) {
    this.#name = name;
    this.#options = options;
    const { registry, heartbeatMs } = options;
    this.#stopListening = registry.changes.subscribe(name.applicationId, () => this.#note());
    this.#heartbeat = setInterval(() => {
      for (const stream of this.#streams) stream.beat();
    }, heartbeatMs);
    this.#heartbeat.unref();
    // The application may have been deleted between its lookup and the subscription.
    this.#endIfGone().catch(options.onError);
  }

  get isEmpty(): boolean {
    return this.#streams.size === 0;
  }

  add(): ChangeStream {
    const stream = new ChangeStream();
    this.#streams.add(stream);
    return stream;
  }

  remove(stream: ChangeStream): void {
    stream.end();
    this.#streams.delete(stream);
  }

  /** Ends every stream; nothing is noted any more. */
  close(): void {
    this.#stopListening();
    clearInterval(this.#heartbeat);
    clearTimeout(this.#window);
    for (const stream of this.#streams) this.remove(stream);
  }

  #note(): void {
    this.#window ??= setTimeout(() => {
      this.#window = undefined;
      for (const stream of this.#streams) stream.tell();
      this.#endIfGone().catch(this.#options.onError);
    }, this.#options.windowMs);
  }

  /**
   * A client asks for configurations by the name that it knows. Once that means another application,
   * or none, this one's changes say nothing to it: it has to connect again.
   */
  async #endIfGone(): Promise<void> {
    const { ref, applicationId } = this.#name;
    const found = await this.#options.registry.applications.get(ref);
    if (found.kind === "done" && found.value.id === applicationId) return;
    for (const stream of this.#streams) this.remove(stream);
  }
}

const CONFIG_EVENT = serverSentEvents("config", ["{}"]);

/**
 * The events for one client. However slowly it reads, no more than one waits for it: an event says
 * that there is something new, and two would say no more.
 */
class ChangeStream {
  #hasNews = false;
  #hasEnded = false;
  #woken = Promise.withResolvers<void>();

  /** Some configuration may resolve to something else than before. */
  tell(): void {
    this.#hasNews = true;
    this.#woken.resolve();
  }

  /** Shows that the connection is alive. */
  beat(): void {
    this.#woken.resolve();
  }

  /** News that wait are still sent. */
  end(): void {
    this.#hasEnded = true;
    this.#woken.resolve();
  }

  /** The body of the event stream. */
  async *read(): AsyncGenerator<Uint8Array, void> {
    yield comment("connected");
    while (this.#hasNews || !this.#hasEnded) {
      await this.#woken.promise;
      this.#woken = Promise.withResolvers();
      if (this.#hasNews) {
        this.#hasNews = false;
        yield CONFIG_EVENT;
      } else if (!this.#hasEnded) {
        yield comment("still here");
      }
    }
  }
}
