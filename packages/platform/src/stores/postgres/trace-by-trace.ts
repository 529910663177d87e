import type { StoreTrouble } from "../store-trouble.ts";
import { StoreUnavailableError } from "../store-unavailable-error.ts";

/**
 * A chore that is done to one trace after the other. One that it cannot be done to is left alone until
 * the server is started anew, so that the others have their turn. It stays marked in the database.
 */
export class TraceByTrace {
  readonly #what: string;
  readonly #onTrouble: (trouble: StoreTrouble) => void;
  readonly #leftAlone = new Set<number>();

  /** @param what Could not be done, as a sentence's beginning. */
  constructor(what: string, onTrouble: (trouble: StoreTrouble) => void) {
    this.#what = what;
    this.#onTrouble = onTrouble;
  }

  /**
   * Does one step of it.
   *
   * @param step Leaves some traces alone, and tells of the one that it takes in hand.
   * @param failed What becomes of a step that failed for the sake of its trace.
   */
  async step<Result>(
    step: (except: readonly number[], onTaken: (traceNo: number) => void) => Promise<Result>,
    failed: (traceNo: number) => Result,
  ): Promise<Result> {
    let taken: number | undefined;
    try {
      return await step([...this.#leftAlone], (traceNo) => {
        taken = traceNo;
      });
    } catch (error) {
      if (error instanceof StoreUnavailableError || taken === undefined) throw error;
      this.#leftAlone.add(taken);
      this.#onTrouble({ what: `${this.#what} of trace number ${taken}.`, error });
      return failed(taken);
    }
  }
}
