import { differenceInterval, type Interval } from "./difference-interval.ts";
import {
  type CaseScores,
  countMissing,
  isLeftOut,
  meanOfValues,
  meanWith,
} from "./score-outcome.ts";
import { type Verdict, withMissing } from "./verdict.ts";

/** One scorer's values in two columns: candidate − baseline, so that below 0 is worse. */
export interface Comparison {
  /** Over the cases that have a value in both columns, each the mean of its trials. */
  readonly observed: Interval;
  /** With every missing value at its worst for the candidate: 0 there, 1 in the baseline. */
  readonly worst: Interval;
  /** Values that are missing: a failed call or score, or a skip in one column. */
  readonly missing: number;
  /** Cases that the scorer skipped in both columns. */
  readonly leftOut: number;
}

/** Compares two columns case by case. */
export function compareScores(cases: readonly Required<CaseScores>[]): Comparison {
  const observed: number[] = [];
  const worst: number[] = [];
  let missing = 0;
  let leftOut = 0;
  for (const scores of cases) {
    if (isLeftOut(scores)) {
      leftOut += 1;
      continue;
    }
    const { candidate, baseline } = scores;
    const ours = meanOfValues(candidate);
    const theirs = meanOfValues(baseline);
    if (ours !== undefined && theirs !== undefined) observed.push(ours - theirs);
    worst.push(meanWith(0, candidate) - meanWith(1, baseline));
    missing += countMissing(candidate) + countMissing(baseline);
  }
  return {
    observed: differenceInterval(observed),
    worst: differenceInterval(worst),
    missing,
    leftOut,
  };
}

/**
 * The gate `notWorseBy`: passed if the candidate is surely not worse by more than the margin, failed
 * if it surely is, else undecided.
 */
export function notWorseBy(margin: number, { observed, worst }: Comparison): Verdict {
  if (observed.cases === 0) return "unscored";
  return withMissing(judge(observed, margin), () => judge(worst, margin));
}

function judge({ low, high }: Interval, margin: number): Verdict {
  if (low > -margin) return "passed";
  return high < -margin ? "failed" : "undecided";
}
