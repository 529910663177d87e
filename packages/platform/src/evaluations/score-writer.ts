import type { RunRef, ScoredItem } from "../registry/runs/run-registry.ts";
import { type ResultsPlace, writeScores } from "./record-results.ts";

export interface ScoreWriterOptions extends Pick<ResultsPlace, "store" | "now"> {
  readonly ref: RunRef;
  readonly onStoreUnavailable: (reason: string) => void;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** Pauses before scores are written to their traces again, in milliseconds. */
const RETRY_PAUSES: readonly number[] = [1_000, 2_000, 4_000];

/** Writes the scores that a run has to their traces, one batch at a time, while the run goes on. */
export class ScoreWriter {
  readonly #options: ScoreWriterOptions;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: ScoreWriterOptions) {
    this.#options = options;
  }

  /** Resolves when the batch before is written: what a crash loses is that of two batches at most. */
  async write(items: readonly ScoredItem[]): Promise<void> {
    await this.#writing;
    this.#writing = this.#write(items);
    // Thrown where the next batch, or the end, waits for it.
    this.#writing.catch(() => {});
  }

  /** Resolves when all are written. */
  close(): Promise<void> {
    return this.#writing;
  }

  async #write(items: readonly ScoredItem[]): Promise<void> {
    const { ref, onStoreUnavailable, wait } = this.#options;
    for (const pause of [...RETRY_PAUSES, null]) {
      const failed = await writeScores(this.#options, ref, items);
      if (failed === undefined) return;
      onStoreUnavailable(failed.reason);
      // The run has the scores. Their traces lack them if the store does not come back.
      if (pause !== null) await wait(pause);
    }
  }
}
