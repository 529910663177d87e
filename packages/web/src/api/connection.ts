/** How often a platform that does not answer is asked again. */
const ASK_AGAIN_MS = 1500;

/**
 * Whether the platform answers. Once a request could not reach it, it is asked until it does again,
 * so that the page recovers without a reload.
 */
export class Connection {
  #isUp = true;
  readonly #listeners = new Set<() => void>();

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Calls back whenever `isUp` changes; returns how to stop. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  reportUnreachable(): void {
    if (!this.#isUp) return;
    this.#set(false);
    this.#askAgain();
  }

  reportAnswer(): void {
    if (!this.#isUp) this.#set(true);
  }

  #askAgain(): void {
    setTimeout(async () => {
      if (this.#isUp) return;
      const answer = await fetch("/health", { cache: "no-store" }).catch(() => undefined);
      if (answer?.ok) this.reportAnswer();
      else this.#askAgain();
    }, ASK_AGAIN_MS);
  }

  #set(isUp: boolean): void {
    this.#isUp = isUp;
    for (const listener of this.#listeners) listener();
  }
}
