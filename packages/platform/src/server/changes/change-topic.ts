import type { ApplicationRef, Registry } from "../../registry/registry.ts";
import { ChangeStream } from "./change-stream.ts";

/** Which application a client listens to: what it called it, and which one that was. */
export interface TopicName {
  readonly ref: ApplicationRef;
  readonly applicationId: string;
}

export interface TopicOptions {
  readonly registry: Pick<Registry, "applications" | "changes">;
  readonly onError: (error: unknown) => void;
  /** Changes within this time are one event. At most 100: the client counts on it. */
  readonly windowMs: number;
  /** At most 15,000. */
  readonly heartbeatMs: number;
}

/** Everybody who listens to one application under one name. */
export class ChangeTopic {
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
    // It may have gone after it was looked up and before anybody listened.
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
