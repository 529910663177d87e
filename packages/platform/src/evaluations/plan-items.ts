import type { ColumnRole, RunCase, RunItem } from "./run-item.ts";

export interface RunPlan {
  readonly cases: readonly RunCase[];
  readonly columns: readonly ColumnRole[];
  readonly trials: number;
  /** Decides the order of columns: the same seed gives the same order. */
  readonly seed: number;
}

/**
 * The items of a run, in the order in which they begin. The columns of a case run next to each other,
 * so that both see the same hour of a model, and in random order, so that none is always the first.
 */
export function* planItems({ cases, columns, trials, seed }: RunPlan): Generator<RunItem> {
  const random = seededRandom(seed);
  for (const row of cases) {
    for (let trial = 0; trial < trials; trial++) {
      for (const column of shuffled(columns, random)) yield { column, case: row, trial };
    }
  }
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const result = [...values];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}

/** Numbers from 0 to 1, of a 32-bit seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
