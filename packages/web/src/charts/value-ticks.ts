/** Marks of a value axis that begins at 0; the last is at or above the highest value. */
export type ValueTicks = readonly number[];

const STEPS = [1, 2, 2.5, 5, 10] as const;
const MOST_STEPS = 5;

export interface ValueTicksOptions {
  /** Steps are round in this unit: 60,000 for minutes in milliseconds. */
  readonly unit?: number;
  /** The smallest step: 1 where there are no halves. */
  readonly leastStep?: number;
}

/** @example valueTicks(37) // [0, 10, 20, 30, 40] */
export function valueTicks(
  highest: number,
  { unit = 1, leastStep = 0 }: ValueTicksOptions = {},
): ValueTicks {
  if (!(highest > 0)) return [0, Math.max(unit, leastStep)];
  const rough = highest / unit / MOST_STEPS;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  // A little less than the rough step will do, so that no rounding error costs a whole step.
  const factor = STEPS.find((step) => step * magnitude >= rough * (1 - 1e-9)) ?? 10;
  const isHalf = leastStep > 0 && !Number.isInteger((factor * magnitude * unit) / leastStep);
  const round = isHalf ? Math.ceil((factor * magnitude * unit) / leastStep) * leastStep : null;
  const step = round ?? factor * magnitude * unit;
  const count = Math.max(1, Math.ceil((highest / step) * (1 - 1e-9)));
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}
