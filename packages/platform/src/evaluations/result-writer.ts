import { MOST_RUN_BATCH } from "@agate/protocol";
import type { RunRef } from "../registry/runs/run-registry.ts";
import { type RecordedResults, type ResultsPlace, recordResults } from "./record-results.ts";
import { resultBody } from "./report-bodies.ts";
import type { ItemResult } from "./run-item.ts";

export interface ResultWriterOptions extends ResultsPlace {
  readonly ref: RunRef;
  /** Called after each batch. */
  readonly onWritten: () => void;
  /** The run was ended meanwhile: results are refused. */
  readonly onEnded: () => void;
  readonly onStoreUnavailable: (reason: string) => void;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** Pauses before scores are written to their traces again, in milliseconds. */
const RETRY_PAUSES: readonly number[] = [1_000, 2_000, 4_000];

interface WaitingResult {
  readonly result: ItemResult;
  readonly written: PromiseWithResolvers<void>;
}

/** Adds results to a run: those that come while a batch is written are the next batch. */
export class ResultWriter {
  readonly #options: ResultWriterOptions;
  readonly #waiting: WaitingResult[] = [];
  #isWriting = false;

  constructor(options: ResultWriterOptions) {
    this.#options = options;
  }

  /** Resolves when the run has it, or has ended. */
  add(result: ItemResult): Promise<void> {
    const written = Promise.withResolvers<void>();
    this.#waiting.push({ result, written });
    if (!this.#isWriting) void this.#write();
    return written.promise;
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MOST_RUN_BATCH);
      try {
        await this.#record(batch.map(({ result }) => result));
        for (const { written } of batch) written.resolve();
      } catch (error) {
        for (const { written } of batch) written.reject(error);
      }
    }
    this.#isWriting = false;
  }

  async #record(results: readonly ItemResult[]): Promise<void> {
    const { onWritten, onEnded, onStoreUnavailable, wait } = this.#options;
    for (const pause of [...RETRY_PAUSES, null]) {
      const recorded = await this.#attempt(results);
      if (recorded.kind === "refused") {
        const { type, msg } = recorded.problems[0];
        if (type !== "run_ended" && type !== "run_not_found") throw new Error(msg);
        return onEnded();
      }
      onWritten();
      if (recorded.kind === "recorded") return;
      onStoreUnavailable(recorded.reason);
      // The run has the scores. Their traces lack them if the store does not come back.
      if (pause !== null) await wait(pause);
    }
  }

  #attempt(results: readonly ItemResult[]): Promise<RecordedResults> {
    return recordResults(this.#options, this.#options.ref, results.map(resultBody));
  }
}
