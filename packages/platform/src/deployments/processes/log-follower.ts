import type { LogLine } from "@agate/protocol";

/** Lines that may wait for a reader who is slower than the log. */
const MOST_WAITING = 10_000;

/** One reader of new lines. Memory is bounded: what does not fit is left out, and the reader is told. */
export class LogFollower {
  readonly #build: number | null;
  readonly #signal: AbortSignal;
  #waiting: LogLine[] = [];
  #missed = 0;
  #isEnded = false;
  #wake = () => {};

  /** @param build Only lines of this one, unless null. */
  constructor(build: number | null, signal: AbortSignal) {
    this.#build = build;
    this.#signal = signal;
  }

  push(line: LogLine): void {
    if (this.#build !== null && this.#build !== line.build) return;
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push(line);
    else this.#missed++;
    this.#wake();
  }

  /** What waits is still read. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *lines(): AsyncGenerator<LogLine, void, undefined> {
    const onAbort = () => this.#wake();
    this.#signal.addEventListener("abort", onAbort);
    try {
      while (!this.#signal.aborted) {
        const lines = this.#take();
        yield* lines;
        if (lines.length > 0) continue;
        if (this.#isEnded) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.#signal.removeEventListener("abort", onAbort);
    }
  }

  #take(): readonly LogLine[] {
    const lines = this.#waiting;
    this.#waiting = [];
    const last = lines.at(-1);
    if (last === undefined || this.#missed === 0) return lines;
    const line = `${this.#missed} lines are missing here: they came faster than they were read.`;
    this.#missed = 0;
    return [...lines, { ...last, stream: "platform", line }];
  }
}
