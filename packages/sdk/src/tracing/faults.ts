import { messageOf } from "./describe-thrown.ts";

/** Counts what goes wrong inside telemetry, which user code must never see. */
export class Faults {
  count = 0;
  readonly #warn: (sentence: string) => void;

  constructor(warn: (sentence: string) => void) {
    this.#warn = warn;
  }

  add(error: unknown): void {
    this.count += 1;
    if (this.count > 1) return;
    this.#warn(
      `Agate could not record part of a trace: ${messageOf(error)}. The code that was traced is not affected. Further failures of this kind are counted, not told.`,
    );
  }

  /** Runs a piece of telemetry; a failure is counted and gives `fallback`. */
  guard<R>(run: () => R, fallback: R): R {
    try {
      return run();
    } catch (error) {
      this.add(error);
      return fallback;
    }
  }
}
