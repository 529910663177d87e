// What prompts and answers look like to an engine: words by Zipf's law, as in any language. The same
// sentence in every span would make every engine that compresses look better than it is.

const VOCABULARY = 20_000;
const BYTES = 32 * 1024 ** 2;

export interface Prose {
  /** Fills these bytes with words that no other span has in this order. */
  fill(target: Buffer, at: number, bytes: number): void;
}

/** Text in memory, of which each span takes a piece from anywhere. */
export function createProse(): Prose {
  const words = Array.from({ length: VOCABULARY }, (_, rank) => word(rank));
  const sums = new Float64Array(VOCABULARY);
  let sum = 0;
  for (let rank = 0; rank < VOCABULARY; rank++) sums[rank] = sum += 1 / (rank + 1);
  const random = randomNumbers(1);
  const text = Buffer.alloc(BYTES, " ");
  for (let at = 0; at < BYTES; ) {
    const next = words[rankAt(sums, random() * sum)] as string;
    at += text.write(next, at, "latin1") + 1;
  }
  return {
    fill(target, at, bytes) {
      const from = Math.floor(random() * (BYTES - bytes));
      text.copy(target, at, from, from + bytes);
    },
  };
}

/** The word of a rank: 0 is in every text, the last one in about one of 2,500 spans. */
export function word(rank: number): string {
  const syllables = ["ba", "co", "di", "fu", "ge", "ha", "ki", "lo", "mu", "ne", "pa", "ro"];
  let text = "";
  for (let rest = rank + 1; rest > 0; rest = Math.floor(rest / syllables.length)) {
    text += syllables[rest % syllables.length];
  }
  // Frequent words are short, as in any language.
  return `${text}${"nrstl"[rank % 5]}`;
}

function rankAt(sums: Float64Array, wanted: number): number {
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
