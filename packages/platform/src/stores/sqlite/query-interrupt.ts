import type { DatabaseSync } from "node:sqlite";

/** The name of the SQL function that stops a statement. */
const FUNCTION = "is_wanted";

/** Rows that a statement visits between two checks; a power of two. */
const ROWS_PER_LOOK = 1024;

/** A statement was interrupted. */
class InterruptedError extends Error {
  override readonly name = "InterruptedError";
}

/** Memory shared by the thread of a query and the one that may interrupt it: the number of a query. */
export function interruptMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
}

/** Stops the query with this number, if it is the one that runs. */
export function interrupt(memory: SharedArrayBuffer, query: number): void {
  Atomics.store(new Int32Array(memory), 0, query);
}

/**
 * Stops statements that run. `node:sqlite` cannot interrupt a statement from another thread, and a thread
 * that runs one cannot be terminated. So the statement checks regularly: {@link wanted} is a condition on
 * its rows that calls an SQL function, which ends the statement by throwing.
 */
export class QueryInterrupt {
  readonly #stopped: Int32Array;
  /** 0: none that could be stopped. */
  #query = 0;

  constructor(db: DatabaseSync, memory: SharedArrayBuffer) {
    this.#stopped = new Int32Array(memory);
    db.function(FUNCTION, { deterministic: false }, () => {
      this.check();
      return 1;
    });
  }

  /** Runs a query under the number by which it is stopped. */
  during<Result>(query: number, work: () => Result): Result {
    this.#query = query;
    try {
      this.check();
      return work();
    } finally {
      this.#query = 0;
    }
  }

  /** @throws InterruptedError if the running query was interrupted. */
  check(): void {
    if (this.#query !== 0 && Atomics.load(this.#stopped, 0) === this.#query) {
      throw new InterruptedError("The query was stopped");
    }
  }
}

/**
 * A condition that is always true, and ends the statement when its query was interrupted. It comes first,
 * so that rows that another condition rejects are counted as well.
 *
 * @param rowNumber A column that is a row id: it takes every value once.
 */
export function wanted(rowNumber: string): string {
  return `(${rowNumber} & ${ROWS_PER_LOOK - 1} OR ${FUNCTION}())`;
}
