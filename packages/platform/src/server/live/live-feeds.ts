import type { LiveFeedOptions } from "./live-feed.ts";
import { LiveFeed } from "./live-feed.ts";

/** The live feed of each project that somebody listens to. */
export class LiveFeeds {
  readonly #options: Omit<LiveFeedOptions, "project">;
  readonly #feeds = new Map<string, LiveFeed>();
  #closed = false;

  constructor(options: Omit<LiveFeedOptions, "project">) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** See {@link LiveFeed.subscribe}. */
  subscribe(project: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
    return this.#feedOf(project).subscribe(signal);
  }

  /** Ends every client's stream. */
  close(): void {
    this.#closed = true;
    for (const feed of this.#feeds.values()) feed.close();
  }

  #feedOf(project: string): LiveFeed {
    const known = this.#feeds.get(project);
    if (known !== undefined) return known;
    const feed = new LiveFeed({ ...this.#options, project });
    if (this.#closed) feed.close();
    this.#feeds.set(project, feed);
    return feed;
  }
}
