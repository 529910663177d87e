import { isCorrupt } from "./sqlite-errors.ts";

/** A row of a trace is on a damaged page, so that SQLite refuses to commit what was done in the transaction. */
export class DamagedPageError extends Error {
  override readonly name = "DamagedPageError";
  readonly traceNo: number;

  constructor(traceNo: number, cause: unknown) {
    super((cause as Error).message, { cause });
    this.traceNo = traceNo;
  }
}

/** The traces that a task of maintenance has found on damaged pages, and passes over until the next start. */
export class TracesOnDamagedPages {
  readonly #numbers = new Set<number>();

  has(traceNo: number): boolean {
    return this.#numbers.has(traceNo);
  }

  /**
   * Does some work on a trace; must run inside a transaction.
   *
   * @throws DamagedPageError The transaction must be rolled back. When the task runs again, it passes over the trace.
   */
  workOn<T>(traceNo: number, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      this.#numbers.add(traceNo);
      throw new DamagedPageError(traceNo, error);
    }
  }
}
