import type { DatabaseSync } from "node:sqlite";

/** The name of the SQL function that stops a statement. */
const FUNCTION = "is_wanted";

/** Rows that a statement visits between two looks at whether it is still wanted; a power of two. */
const ROWS_PER_LOOK = 1024;

/** A statement was stopped: its query is not wanted any more. */
class InterruptedError extends Error {
  override readonly name = "InterruptedError";
}

/** Memory that the thread of a query shares with the one that may stop it: the number of a query. */
export function interruptMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
}

/** Stops the query with this number, if it is the one that runs. */
export function interrupt(memory: SharedArrayBuffer, query: number): void {
  Atomics.store(new Int32Array(memory), 0, query);
}

/**
 * Stops statements that run. `node:sqlite` cannot interrupt one from another thread, and a thread that
 * is in one cannot be terminated. So a statement asks by itself now and then: {@link wanted} is a
 * condition of its rows, and a function of SQL that throws ends it.
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

  /** @throws where the query that runs is not wanted any more. */
  check(): void {
    if (this.#query !== 0 && Atomics.load(this.#stopped, 0) === this.#query) {
      throw new InterruptedError("The query was stopped");
    }
  }
}

/**
 * A condition that is always true, and ends the statement where its query is not wanted any more. It
 * comes first, so that rows that another condition rejects are counted as well.
 *
 * @param rowNumber A column that is a row id: it takes every value once.
 */
export function wanted(rowNumber: string): string {
  return `(${rowNumber} & ${ROWS_PER_LOOK - 1} OR ${FUNCTION}())`;
}
