/** Calls back once something has not been used for a while. */
export class IdleTimer {
  readonly #idleMs: () => number | null;
  readonly #idleSince: () => number;
  readonly #onIdle: (idleMs: number) => void;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param idleMs How long; null: never.
   * @param idleSince When it was last used, by `performance.now()`; infinite while it is.
   */
  constructor(
    idleMs: () => number | null,
    idleSince: () => number,
    onIdle: (idleMs: number) => void,
  ) {
    this.#idleMs = idleMs;
    this.#idleSince = idleSince;
    this.#onIdle = onIdle;
  }

  start(): void {
    this.stop();
    const idleMs = this.#idleMs();
    if (idleMs !== null) this.#timer = setTimeout(() => this.#check(), idleMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #check(): void {
    const idleMs = this.#idleMs();
    if (idleMs === null) return;
    const left = idleMs - (performance.now() - this.#idleSince());
    if (left <= 0) this.#onIdle(idleMs);
    else this.#timer = setTimeout(() => this.#check(), Math.min(left, idleMs)).unref();
  }
}
