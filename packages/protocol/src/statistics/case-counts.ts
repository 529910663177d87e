import { centreOf, type Interval, tQuantile } from "./difference-interval.ts";

/** Beyond it, a number of cases is no advice. */
export const MOST_CASES = 1_000_000;

/** The 80 % quantile of the normal distribution: the power that more cases should have. */
const POWER = 0.841621;

/**
 * About how many more cases would decide a `notWorseBy` gate in 8 of 10 runs, if the true difference
 * and its spread are those observed: to a pass where it is within the margin, to a failure where it is
 * beyond. `undefined` where no useful number would: it lies on the margin, or there is a single case.
 */
export function moreCasesNeeded(margin: number, observed: Interval): number | undefined {
  if (observed.cases < 2) return undefined;
  const isEnough = (cases: number) => isDecisive(cases, margin, observed);
  if (isEnough(observed.cases)) return 0;
  let tooFew = observed.cases;
  let enough = tooFew;
  do {
    tooFew = enough;
    enough *= 2;
    if (tooFew > MOST_CASES) return undefined;
  } while (!isEnough(enough));
  while (enough - tooFew > 1) {
    const middle = Math.floor((tooFew + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else tooFew = middle;
  }
  const more = enough - observed.cases;
  return more > MOST_CASES ? undefined : more;
}

/** Whether the interval of so many cases would lie on one side of the margin, and by enough. */
function isDecisive(cases: number, margin: number, { mean, deviation }: Interval): boolean {
  const squares = (cases - 1) * deviation ** 2 + cases * mean ** 2;
  const { centre, error } = centreOf({ cases, sum: cases * mean, squares });
  const distance = Math.sign(mean + margin) * (centre + margin);
  return distance > (tQuantile(cases + 1) + POWER) * error;
}

/**
 * The smallest margin that so many cases can show: that of a run in which both columns score the same
 * on every case. Scores that vary need a larger margin or more cases.
 */
export function smallestMargin(cases: number): number {
  return tQuantile(cases + 1) * centreOf({ cases, sum: 0, squares: 0 }).error;
}
