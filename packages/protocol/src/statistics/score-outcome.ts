/**
 * The outcome of one scorer on one trial: its value from 0 to 1, or why there is none. A call that
 * failed has no output to judge, so its scores are `failed` too.
 */
export type ScoreOutcome = number | "skipped" | "failed";

/** One scorer's outcomes on one case, one for each trial. Without any, the case counts as missing. */
export interface CaseScores {
  readonly candidate: readonly ScoreOutcome[];
  /** Absent in a run of a single column. */
  readonly baseline?: readonly ScoreOutcome[];
}

/** Whether the scorer skipped the case in every column, so that it does not apply to it. */
export function isLeftOut({ candidate, baseline = [] }: CaseScores): boolean {
  return candidate.length > 0 && candidate.every(isSkipped) && baseline.every(isSkipped);
}

const isSkipped = (outcome: ScoreOutcome) => outcome === "skipped";

/** The mean of the values there are; `undefined` without any. */
export function meanOfValues(outcomes: readonly ScoreOutcome[]): number | undefined {
  let sum = 0;
  let count = 0;
  for (const outcome of outcomes) {
    if (typeof outcome !== "number") continue;
    sum += checked(outcome);
    count += 1;
  }
  return count === 0 ? undefined : sum / count;
}

/** The mean over all trials, with `missing` as the value of each that has none. */
export function meanWith(missing: number, outcomes: readonly ScoreOutcome[]): number {
  let sum = 0;
  for (const outcome of outcomes) sum += typeof outcome === "number" ? checked(outcome) : missing;
  return outcomes.length === 0 ? missing : sum / outcomes.length;
}

export function countMissing(outcomes: readonly ScoreOutcome[]): number {
  if (outcomes.length === 0) return 1;
  let count = 0;
  for (const outcome of outcomes) if (typeof outcome !== "number") count += 1;
  return count;
}

/** Guards against NaN, which every comparison answers with false: a gate would stay undecided. */
function checked(value: number): number {
  if (value >= 0 && value <= 1) return value;
  throw new RangeError(`A score must be a number from 0 to 1 (got ${value})`);
}
