/** The queue is full: this query was not started. */
export class QueryQueueFullError extends Error {
  override readonly name = "QueryQueueFullError";
}

/** A query was cancelled at its deadline. */
export class QueryTimeoutError extends Error {
  override readonly name = "QueryTimeoutError";
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`The query took longer than ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}

/** The client of a query has disconnected, so its result is not needed. */
export class QueryAbandonedError extends Error {
  override readonly name = "QueryAbandonedError";
}

/** The limits of queries, which every store enforces. */
export interface QueryLimits {
  /** How long a query may wait and run, in milliseconds. */
  readonly timeoutMs: number;
  /** How many queries of a kind may be queued. */
  readonly waiting: number;
}

export const QUERY_LIMITS: QueryLimits = { timeoutMs: 30_000, waiting: 64 };

/** @param slot The query's slot in the lane: from 0, less than `concurrent`. */
type Work<Result> = (signal: AbortSignal, slot: number) => Promise<Result>;

interface Waiting {
  start(slot: number): void;
}

/**
 * Runs queries of one kind, a few at a time. The queue is bounded in number and in time; queued queries are
 * dropped when their client disconnects. A running query gets a signal to stop, and keeps its slot until it
 * has stopped, so that statements without a client cannot pile up.
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
   * @param gone Fires when the client disconnects.
   * @throws QueryQueueFullError, QueryTimeoutError or QueryAbandonedError
   */
  run<Result>(gone: AbortSignal | undefined, work: Work<Result>): Promise<Result> {
    const { timeoutMs, waiting } = this.#limits;
    if (gone?.aborted) return Promise.reject(abandoned());
    const slot = this.#freeSlots.pop();
    if (slot === undefined && this.#queue.size >= waiting) {
      return Promise.reject(new QueryQueueFullError("Too many queries are queued"));
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
  return new QueryAbandonedError("The client has disconnected");
}
