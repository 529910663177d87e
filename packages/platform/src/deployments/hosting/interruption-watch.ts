import { RegistryUnavailableError } from "../../stores/store-errors.ts";
import type { Turns } from "./turns.ts";

export interface InterruptionWatchOptions {
  readonly turns: Pick<Turns, "refuseInterrupted">;
  /** Between two looks. */
  readonly everyMs: number;
  /** Told the ids of builds that nobody is starting any more, once each. */
  readonly onInterrupted: (builds: readonly string[]) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Looks every few seconds whether another replica has ended in the middle of a deploy: nobody but
 * those who are left can say so, and nothing tells them of it.
 */
export class InterruptionWatch {
  readonly #options: InterruptionWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #look: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: InterruptionWatchOptions) {
    this.#options = options;
  }

  begin(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#look = this.#lookOnce().then(() => this.begin());
    }, this.#options.everyMs);
    this.#timer.unref();
  }

  /** Resolves when the look under way is over. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#look;
  }

  async #lookOnce(): Promise<void> {
    const { turns, onInterrupted, onError } = this.#options;
    try {
      const builds = await turns.refuseInterrupted();
      if (builds.length > 0) onInterrupted(builds);
    } catch (error) {
      // Whoever hears the registry's changes has said that it is away; the next look finds them.
      if (!(error instanceof RegistryUnavailableError)) onError(error);
    }
  }
}
