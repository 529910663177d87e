import { comment, serverSentEvents } from "../live/server-sent-event.ts";

const CONFIG_EVENT = serverSentEvents("config", ["{}"]);

/**
 * The events for one client. However slowly it reads, no more than one waits for it: an event says
 * that there is something new, and two would say no more.
 */
export class ChangeStream {
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
