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
export function mayWait({ spans, summarised }: { spans: number; summarised: number }): boolean {
  if (spans > MOST_SUMMARISED_AT_ONCE) return true;
  return spans > ALWAYS_SUMMARISED && spans < summarised * GROWTH_BETWEEN_SUMMARIES;
}
