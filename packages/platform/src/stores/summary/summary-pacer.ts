/** Up to this many spans a trace's summary is made anew at every commit that touches it. */
export const ALWAYS_SUMMARISED = 2_000;
/** Beyond that, when it has grown by this factor, and once more when nothing else is to be done. */
const GROWTH_BETWEEN_SUMMARIES = 1.25;
/** Beyond this many it is never made with a commit, which would wait for it for too long. */
const MOST_SUMMARISED_AT_ONCE = 20_000;

/**
 * Whether a trace that was written to need not be summarised at once: for a large one that arrives in
 * many batches, each summary would cost more than the batch.
 *
 * @param summarised How many of its spans the summary that is there was made from, less those that
 * were sent again since: a trace that was only sent again is behind, too.
 */
export function canDeferSummary({
  spans,
  summarised,
}: {
  spans: number;
  summarised: number;
}): boolean {
  if (spans > MOST_SUMMARISED_AT_ONCE) return true;
  return spans > ALWAYS_SUMMARISED && spans < summarised * GROWTH_BETWEEN_SUMMARIES;
}

/** A summary that took longer than this is not made again at once. */
const SLOW_MS = 100;
/** For this many times as long as a summary took its trace has to wait for the next. */
const REST_FACTOR = 5;
const LONGEST_REST_MS = 60_000;

/**
 * Spreads the summaries of huge traces over time. One of a million spans takes seconds of a core:
 * made after every batch, it would take that core for as long as the trace grows.
 */
export class SummaryPacer {
  readonly #now: () => number;
  /** When the turn of a trace comes again, by its number. */
  readonly #turns = new Map<number, number>();

  /** @param now In milliseconds; tests have a clock of their own. */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Notes how long a summary took that was just made. */
  made(traceNo: number, tookMs: number): void {
    if (tookMs <= SLOW_MS) return;
    this.#turns.set(traceNo, this.#now() + Math.min(REST_FACTOR * tookMs, LONGEST_REST_MS));
  }

  /** Traces whose turn has not come. */
  resting(): number[] {
    const now = this.#now();
    for (const [traceNo, turn] of this.#turns) if (turn <= now) this.#turns.delete(traceNo);
    return [...this.#turns.keys()];
  }

  /** Milliseconds until the turn of a trace comes; undefined when none rests. */
  nextTurn(): number | undefined {
    const turns = this.resting().map((traceNo) => this.#turns.get(traceNo) as number);
    return turns.length === 0 ? undefined : turns.reduce((a, b) => Math.min(a, b)) - this.#now();
  }
}
