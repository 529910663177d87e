import type { TopicName, TopicOptions } from "./change-topic.ts";
import { ChangeTopic } from "./change-topic.ts";

export type ChangeStreamsOptions = Pick<TopicOptions, "registry" | "onError"> &
  Partial<TopicOptions>;

/** The event streams of changed configurations, of every application that somebody listens to. */
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
