/**
 * Span numbers are allocated in blocks of this size, each from one value of a sequence. Larger blocks would
 * use up the numbers sooner: a number must stay below 2^53, and most transactions are small.
 */
export const SPANS_PER_BLOCK = 1_024;

/** Where the numbers of a segment's spans begin. */
export interface SpanNumbers {
  /** Which of the blocks that are given out together, from 0. */
  readonly block: number;
  readonly offset: number;
}

/**
 * Shares numbers out among segments, so that each has consecutive ones.
 *
 * @param sizes How many spans each segment has.
 * @throws RangeError for a segment that is larger than a block.
 */
export function numberSpans(sizes: readonly number[]): { blocks: number; numbers: SpanNumbers[] } {
  let block = 0;
  let offset = 0;
  const numbers = sizes.map((size) => {
    if (size > SPANS_PER_BLOCK) throw new RangeError(`A segment has ${size} spans`);
    if (offset + size > SPANS_PER_BLOCK) {
      block++;
      offset = 0;
    }
    const first = { block, offset };
    offset += size;
    return first;
  });
  return { blocks: block + 1, numbers };
}
