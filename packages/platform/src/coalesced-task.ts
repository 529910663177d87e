/**
 * Work that is asked for more often than it needs to run. Each call gets a run that begins after the
 * call: calls made while one is under way share the next, so none is lost and none runs twice at a time.
 */
export class CoalescedTask {
  readonly #work: () => Promise<void>;
  /** The run that is under way, or the last one; never rejects. */
  #current: Promise<void> = Promise.resolve();
  /** The run that has not begun. */
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Resolves, or rejects, with a run that begins after this call. */
  run(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const next = this.#current.then(() => {
      this.#next = undefined;
      return this.#work();
    });
    this.#next = next;
    this.#current = next.catch(() => {});
    return next;
  }

  /** Resolves when no run is under way or asked for. */
  async idle(): Promise<void> {
    for (let seen: Promise<void> | undefined; seen !== this.#current; ) {
      seen = this.#current;
      await seen;
    }
  }
}
