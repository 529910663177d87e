import {
  type CaseScores,
  countMissing,
  isLeftOut,
  meanOfValues,
  meanWith,
} from "./score-outcome.ts";
import { type Verdict, withMissing } from "./verdict.ts";

/** One scorer's mean in the candidate's column: every case counts the same, however many trials it has. */
export interface MeanScore {
  /** Of the values there are; `undefined` without any. */
  readonly observed: number | undefined;
  /** With every missing value as 0. */
  readonly worst: number;
  readonly missing: number;
}

/** A score that all cases reach may come out one rounding below it. */
const ROUNDING = 1e-9;

/** A skip counts as missing unless the case was skipped in every column. */
export function meanScore(cases: readonly CaseScores[]): MeanScore {
  let [sum, scored, worst, applicable, missing] = [0, 0, 0, 0, 0];
  for (const scores of cases) {
    if (isLeftOut(scores)) continue;
    const mean = meanOfValues(scores.candidate);
    if (mean !== undefined) {
      sum += mean;
      scored += 1;
    }
    worst += meanWith(0, scores.candidate);
    applicable += 1;
    missing += countMissing(scores.candidate);
  }
  return {
    observed: scored === 0 ? undefined : sum / scored,
    worst: applicable === 0 ? 0 : worst / applicable,
    missing,
  };
}

/** The gate `min`: a bound on the mean of these very cases, without inference. */
export function boundScore(min: number, { observed, worst }: MeanScore): Verdict {
  if (observed === undefined) return "unscored";
  const judge = (mean: number) => (mean >= min - ROUNDING ? "passed" : "failed");
  return withMissing(judge(observed), () => judge(worst));
}

/** What a run measured of the candidate's calls, one for each case and trial. */
export interface CallFigures {
  /** In milliseconds; `undefined` where the call has none, as it failed. */
  readonly latencies: readonly (number | undefined)[];
  /** In US dollars; `undefined` where a model's price is unknown, or the call failed. */
  readonly costs: readonly (number | undefined)[];
  readonly errors: number;
  readonly calls: number;
  /** Calls that were not made, although the run asks for them. */
  readonly missing?: number;
}

/** The gate `cost`: the mean of a call. An unknown cost could be any, so it undoes a pass. */
export function boundCost(mean: number, { costs }: Pick<CallFigures, "costs">): Verdict {
  const known = costs.filter((cost) => cost !== undefined);
  if (known.length === 0) return "unscored";
  const sum = known.reduce((total, cost) => total + cost, 0);
  const observed = sum / known.length <= mean * (1 + ROUNDING) ? "passed" : "failed";
  return withMissing(observed, () => (known.length === costs.length ? "passed" : "undecided"));
}

/**
 * The gate `latency`: 95 of 100 calls take no longer. A call without a latency could have taken any
 * time, so it counts among the slowest.
 */
export function boundLatency(p95: number, { latencies }: Pick<CallFigures, "latencies">): Verdict {
  const known = latencies.filter((latency) => latency !== undefined);
  if (known.length === 0) return "unscored";
  const withinBound = known.filter((latency) => latency <= p95).length;
  const judge = (calls: number) => (withinBound >= rankOf95(calls) ? "passed" : "failed");
  return withMissing(judge(known.length), () => judge(latencies.length));
}

/** How many of so many calls must be within the bound: the nearest rank of the 95th percentile. */
const rankOf95 = (calls: number) => Math.ceil((95 * calls) / 100);

/** The gate `errors`: the share of calls that failed. A call that was not made could have failed. */
export function boundErrors(
  share: number,
  { errors, calls, missing = 0 }: Pick<CallFigures, "errors" | "calls" | "missing">,
): Verdict {
  if (calls === 0) return "unscored";
  const judge = (failed: number, made: number) =>
    failed / made <= share + ROUNDING ? "passed" : "failed";
  return withMissing(judge(errors, calls), () => judge(errors + missing, calls + missing));
}
