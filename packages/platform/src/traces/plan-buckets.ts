import { parseInterval } from "./time-interval.ts";

/** A time range cut into equal buckets, in microseconds; both ends are multiples of the interval. */
export interface BucketPlan {
  readonly from: number;
  readonly to: number;
  readonly interval: number;
}

export type BucketPlanOutcome =
  | { readonly kind: "plan"; readonly plan: BucketPlan }
  | { readonly kind: "too-many"; readonly count: number; readonly most: number };

/** More than anyone can look at in one chart. */
export const MOST_BUCKETS = 2000;
/** Groups have their own buckets; so many of them are a few megabytes. */
const MOST_GROUP_BUCKETS = 20_000;
const USUAL_BUCKETS = 100;
const USUAL_INTERVALS = [
  "1s", "5s", "15s", "30s", "1m", "5m", "15m", "30m", "1h", "3h", "6h", "12h", "1d", "7d", "30d",
].map((text) => parseInterval(text)!); // biome-ignore format: reads as a list

/**
 * Widens a range to whole buckets. Without an interval, the finest usual one that gives about a
 * hundred buckets at most.
 *
 * @param groups How many there may be, with as many buckets each.
 */
export function planBuckets(
  from: number,
  to: number,
  interval?: number,
  groups = 1,
): BucketPlanOutcome {
  const width = interval ?? usualInterval(to - from);
  const plan = {
    from: Math.floor(from / width) * width,
    to: Math.ceil(to / width) * width,
    interval: width,
  };
  const count = (plan.to - plan.from) / width;
  const most = Math.min(MOST_BUCKETS, Math.floor(MOST_GROUP_BUCKETS / groups));
  return count > most ? { kind: "too-many", count, most } : { kind: "plan", plan };
}

function usualInterval(length: number): number {
  const fitting = USUAL_INTERVALS.find((interval) => length / interval <= USUAL_BUCKETS);
  const longest = USUAL_INTERVALS.at(-1)!;
  return fitting ?? Math.ceil(length / USUAL_BUCKETS / longest) * longest;
}
