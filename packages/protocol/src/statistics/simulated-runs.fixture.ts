import { compareScores, notWorseBy } from "./compare-scores.ts";
import { differenceInterval } from "./difference-interval.ts";
import type { CaseScores } from "./score-outcome.ts";

/** At least 0, below 1. */
export type Random = () => number;

/** Random numbers that a seed repeats (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws one case of a population in which the candidate is worse by `loss` on average. */
export type Population = (random: Random, loss: number, trials: number) => Required<CaseScores>;

/** A loop, as simulations spend their time here. */
function times(trials: number, draw: () => number): number[] {
  const values: number[] = [];
  for (let trial = 0; trial < trials; trial++) values.push(draw());
  return values;
}
const yes = (random: Random, probability: number) => (random() < probability ? 1 : 0);

/** Cases that are right in 95 of 100 trials, and cases that are a matter of luck: 80 % together. */
export const EASY = { share: 0.6, rate: 0.95 };
export const HARD = { rate: 0.575 };
const rateOf = (random: Random) => (random() < EASY.share ? EASY.rate : HARD.rate);

export const POPULATIONS = {
  /** The baseline is always right, the candidate rarely wrong: the most skewed differences. */
  rare: (random, loss, trials) => ({
    baseline: times(trials, () => 1),
    candidate: times(trials, () => yes(random, 1 - loss)),
  }),
  /** Every trial is a matter of luck. */
  noisy: (random, loss, trials) => ({
    baseline: times(trials, () => yes(random, 0.8)),
    candidate: times(trials, () => yes(random, 0.8 - loss)),
  }),
  /** Cases differ, and the candidate breaks some of them in all their trials. */
  nested: (random, loss, trials) => {
    const rate = rateOf(random);
    const isBroken = random() < loss / 0.8;
    return {
      baseline: times(trials, () => yes(random, rate)),
      candidate: times(trials, () => (isBroken ? 0 : yes(random, rate))),
    };
  },
  /** Numbers between 0 and 1; most losses are small, a few large. */
  continuous: (random, loss, trials) => {
    const level = 0.5 + 0.5 * random();
    const share = loss === 0 ? 0 : random() ** (0.75 / loss - 1);
    const noise = () => 0.1 * (random() - 0.5) * (1 - level);
    return {
      baseline: times(trials, () => level + noise()),
      candidate: times(trials, () => (level + noise()) * (1 - share)),
    };
  },
} as const satisfies Record<string, Population>;

export interface SimulatedRun {
  readonly population: Population;
  readonly cases: number;
  readonly trials: number;
  readonly loss: number;
}

/** A run's cases. */
export function simulateRun(run: SimulatedRun, random: Random): Required<CaseScores>[] {
  const { population, cases, trials, loss } = run;
  const scores: Required<CaseScores>[] = [];
  for (let at = 0; at < cases; at++) scores.push(population(random, loss, trials));
  return scores;
}

/** How many of so many runs each verdict has, at each margin. */
export function simulateVerdicts(
  run: SimulatedRun & { readonly runs: number; readonly margins: readonly number[] },
  random: Random,
): { readonly passed: number; readonly failed: number }[] {
  const shares = run.margins.map(() => ({ passed: 0, failed: 0 }));
  for (let at = 0; at < run.runs; at++) {
    const comparison = compareScores(simulateRun(run, random));
    for (const [index, share] of shares.entries()) {
      const verdict = notWorseBy(run.margins[index] as number, comparison);
      if (verdict === "passed" || verdict === "failed") share[verdict] += 1 / run.runs;
    }
  }
  return shares;
}

/**
 * The exact share of runs that pass at the margin where the baseline is always right and the candidate
 * wrong in that share of the cases: the sum over the numbers of wrong cases that still pass.
 */
export function exactFalsePasses(cases: number, margin: number): number {
  let probability = (1 - margin) ** cases;
  let passes = 0;
  for (let wrong = 0; wrong <= cases; wrong++) {
    const differences = Array.from({ length: cases }, (_, at) => (at < wrong ? -1 : 0));
    if (differenceInterval(differences).low <= -margin) return passes;
    passes += probability;
    probability *= (((cases - wrong) / (wrong + 1)) * margin) / (1 - margin);
  }
  return passes;
}
