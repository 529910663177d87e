/**
 * One round of a {@link PollLoop}.
 *
 * @param signal Fires when the loop is stopped.
 * @returns Milliseconds until the next round; 0: at once. `end` ends the loop.
 */
export type PollRound = (signal: AbortSignal) => Promise<number | "end">;

/** Runs a round again and again until it is stopped. The pauses do not keep the process alive. */
export class PollLoop {
  readonly #round: PollRound;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #endPause = () => {};
  /** Woken since the round under way began: the round may have looked before there was work. */
  #isWoken = false;

  /**
   * Starts at once.
   *
   * @param onFailure Told what a round throws, which ends the loop. Without it, that is an unhandled
   * rejection.
   */
  constructor(round: PollRound, onFailure?: (error: Error) => void) {
    this.#round = round;
    const ended = this.#run();
    this.#ended =
      onFailure === undefined
        ? ended
        : ended.catch((error: Error) => {
            if (!this.#stop.signal.aborted) onFailure(error);
          });
  }

  /** Ends the pause: there is work. */
  wake(): void {
    this.#isWoken = true;
    this.#endPause();
  }

  /** Resolves when the round under way has ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#endPause();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      this.#isWoken = false;
      const pauseMs = await this.#round(signal);
      if (pauseMs === "end") return;
      if (pauseMs > 0 && !this.#isWoken && !signal.aborted) await this.#pause(pauseMs);
    }
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms).unref();
    this.#endPause = resolve;
    await promise;
    clearTimeout(timer);
  }
}
