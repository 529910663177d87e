/** The mean difference of some cases, and the interval that its true value lies in. */
export interface Interval {
  readonly cases: number;
  /** The mean of the differences, without the pseudo-cases. */
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** How far the differences of single cases lie from their mean (standard deviation). */
  readonly deviation: number;
}

/** The sums that an interval follows from. */
export interface DifferenceSums {
  readonly cases: number;
  readonly sum: number;
  readonly squares: number;
}

/**
 * The 95 % interval of the mean difference between two columns, by Student's t over the cases.
 *
 * Two pseudo-cases, +1 and −1, are added. Without them the interval of equal differences has no width,
 * so that ten cases without a regression would prove that there is none in ten thousand.
 */
export function differenceInterval(differences: readonly number[]): Interval {
  let sum = 0;
  let squares = 0;
  for (const difference of differences) {
    sum += difference;
    squares += difference * difference;
  }
  const cases = differences.length;
  const { centre, error } = centreOf({ cases, sum, squares });
  const half = tQuantile(cases + 1) * error;
  const mean = cases === 0 ? 0 : sum / cases;
  const variance = cases < 2 ? 0 : Math.max(0, squares - sum * mean) / (cases - 1);
  const deviation = Math.sqrt(variance);
  return { cases, mean, low: centre - half, high: centre + half, deviation };
}

/** The mean with the pseudo-cases, and its standard error. */
export function centreOf({ cases, sum, squares }: DifferenceSums) {
  const count = cases + 2;
  const centre = sum / count;
  // Never below 2 / (count - 1), the share of the pseudo-cases: rounding cannot make it negative.
  const variance = (squares + 2 - (sum * sum) / count) / (count - 1);
  return { centre, error: Math.sqrt(variance / count) };
}

/** Of 1 to 4 degrees of freedom, where the series is not exact enough. */
const FEW_DEGREES = [12.706205, 4.302653, 3.182446, 2.776445] as const;
/** The quantile of the normal distribution, and the coefficients that the series has at it. */
const NORMAL = 1.959964;
const [FIRST, SECOND, THIRD, FOURTH] = [2.372271, 2.822501, 2.555851, 1.589534];

/** The 97.5 % quantile of Student's t distribution, by the series of Cornish and Fisher. */
export function tQuantile(degrees: number): number {
  const few = FEW_DEGREES[degrees - 1];
  if (few !== undefined) return few;
  const r = 1 / degrees;
  return NORMAL + r * (FIRST + r * (SECOND + r * (THIRD + r * FOURTH)));
}
