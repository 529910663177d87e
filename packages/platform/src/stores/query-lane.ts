/** Too many queries wait already: this one was not begun. */
export class QueryQueueFullError extends Error {
  override readonly name = "QueryQueueFullError";
}

/** A query was broken off at its deadline. */
export class QueryTimeoutError extends Error {
  override readonly name = "QueryTimeoutError";
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`The query took longer than ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}

/** The client of a query has gone, so that its result is not needed. */
export class QueryAbandonedError extends Error {
  override readonly name = "QueryAbandonedError";
}

/** What queries may take; every store keeps to it. */
export interface QueryLimits {
  /** How long a query may wait and run, in milliseconds. */
  readonly timeoutMs: number;
  /** How many queries of a kind may wait. */
  readonly waiting: number;
}

export const QUERY_LIMITS: QueryLimits = { timeoutMs: 30_000, waiting: 64 };

/** @param slot Which of the places in the lane it has: from 0, less than `concurrent`. */
type Work<Result> = (signal: AbortSignal, slot: number) => Promise<Result>;

interface Waiting {
  start(slot: number): void;
}

/**
 * Runs queries of one kind, a few at a time. Those that wait are bounded in number and in time, and
 * are dropped when their client goes; one that runs gets a signal to stop, and keeps its place until
 * it has, so that statements without a client cannot pile up.
 */
export class QueryLane {
  readonly #limits: QueryLimits;
  readonly #freeSlots: number[];
  readonly #queue = new Set<Waiting>();

  constructor(concurrent: number, limits: QueryLimits = QUERY_LIMITS) {
    this.#limits = limits;
    this.#freeSlots = Array.from({ length: concurrent }, (_, slot) => concurrent - 1 - slot);
  }

  /**
   * @param gone Fires when the client has gone.
   * @throws QueryQueueFullError, QueryTimeoutError or QueryAbandonedError
   */
  run<Result>(gone: AbortSignal | undefined, work: Work<Result>): Promise<Result> {
    const { timeoutMs, waiting } = this.#limits;
    if (gone?.aborted) return Promise.reject(abandoned());
    const slot = this.#freeSlots.pop();
    if (slot === undefined && this.#queue.size >= waiting) {
      return Promise.reject(new QueryQueueFullError("Too many queries wait already"));
    }
    return new Promise((resolve, reject) => {
      const stop = new AbortController();
      const giveUp = (reason: Error) => {
        this.#queue.delete(entry);
        settle();
        stop.abort(reason);
        reject(reason);
      };
      const deadline = setTimeout(() => giveUp(new QueryTimeoutError(timeoutMs)), timeoutMs);
      const leave = () => giveUp(abandoned());
      gone?.addEventListener("abort", leave, { once: true });
      const settle = () => {
        clearTimeout(deadline);
        gone?.removeEventListener("abort", leave);
      };
      const entry: Waiting = {
        start: (place) => {
          work(stop.signal, place)
            .then(resolve, reject)
            .finally(() => {
              settle();
              this.#free(place);
            });
        },
      };
      if (slot === undefined) this.#queue.add(entry);
      else entry.start(slot);
    });
  }

  #free(slot: number): void {
    const [next] = this.#queue;
    if (next === undefined) {
      this.#freeSlots.push(slot);
      return;
    }
    this.#queue.delete(next);
    next.start(slot);
  }
}

function abandoned(): Error {
  return new QueryAbandonedError("The client has gone");
}
