/** Up to this many spans, a trace is summarised at every commit that touches it. */
export const ALWAYS_SUMMARISED = 2_000;
/**
 * Larger traces are summarised when they have grown by this factor, and once more when the writer is idle.
 */
const GROWTH_BETWEEN_SUMMARIES = 1.25;
/** Beyond this many, never within a commit, which would take too long. */
const MOST_SUMMARISED_AT_ONCE = 20_000;

/**
 * Whether the summary of a trace can be deferred: for a large trace that arrives in many batches, each
 * summary would cost more than the batch.
 *
 * @param summarised How many of its spans the summary that is there was made from, minus those sent again
 * since: a trace that was only sent again needs a new summary, too.
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

/** After a summary that took longer than this, the trace has to wait for the next one. */
const SLOW_MS = 100;
/** The wait is this many times as long as the summary took. */
const REST_FACTOR = 5;
const LONGEST_REST_MS = 60_000;

/**
 * Spreads the summaries of huge traces over time: summarising a million spans takes seconds of a core, and
 * would occupy it if it were done after every batch.
 */
export class SummaryPacer {
  readonly #now: () => number;
  /** When a trace may be summarised again, by its number. */
  readonly #turns = new Map<number, number>();

  /** @param now In milliseconds; tests pass a clock of their own. */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Records how long a summary took that was just made. */
  made(traceNo: number, tookMs: number): void {
    if (tookMs <= SLOW_MS) return;
    this.#turns.set(traceNo, this.#now() + Math.min(REST_FACTOR * tookMs, LONGEST_REST_MS));
  }

  /** Traces that have to wait. */
  resting(): number[] {
    const now = this.#now();
    for (const [traceNo, turn] of this.#turns) if (turn <= now) this.#turns.delete(traceNo);
    return [...this.#turns.keys()];
  }

  /** Milliseconds until the next trace may be summarised; undefined when none waits. */
  nextTurn(): number | undefined {
    const turns = this.resting().map((traceNo) => this.#turns.get(traceNo) as number);
    return turns.length === 0 ? undefined : turns.reduce((a, b) => Math.min(a, b)) - this.#now();
  }
}
