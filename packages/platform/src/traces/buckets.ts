import type { AnalyticsBucket } from "../stores/span-query.ts";
import { NO_TRACES } from "../stores/span-query.ts";

const SECOND = 1_000_000;
const UNITS = [
  { letter: "d", length: 86_400 * SECOND },
  { letter: "h", length: 3_600 * SECOND },
  { letter: "m", length: 60 * SECOND },
  { letter: "s", length: SECOND },
] as const;

/** Microseconds of a length of time such as `90s`, `5m`, `1h`, `7d`; undefined for anything else. */
export function parseInterval(text: string): number | undefined {
  const [, digits, letter] = /^([1-9]\d{0,8})([smhd])$/.exec(text) ?? [];
  const unit = UNITS.find((known) => known.letter === letter);
  if (unit === undefined) return undefined;
  const interval = Number(digits) * unit.length;
  return Number.isSafeInteger(interval) ? interval : undefined;
}

/** The shortest spelling of an interval in whole seconds. */
export function formatInterval(interval: number): string {
  const unit = UNITS.find(({ length }) => interval % length === 0) ?? UNITS[3];
  return `${interval / unit.length}${unit.letter}`;
}

/** A time range cut into equal buckets, in microseconds; both ends are multiples of the interval. */
export interface BucketPlan {
  readonly from: number;
  readonly to: number;
  readonly interval: number;
}

export type BucketPlanOutcome =
  | { readonly kind: "plan"; readonly plan: BucketPlan }
  | { readonly kind: "too-many"; readonly count: number; readonly most: number };

/** More than a chart can show. */
export const MOST_BUCKETS = 2000;
/** Of all groups together: this many take a few megabytes. */
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
 * @param mostGroupBuckets Of all groups together.
 */
export function planBuckets(
  from: number,
  to: number,
  interval?: number,
  groups = 1,
  mostGroupBuckets = MOST_GROUP_BUCKETS,
): BucketPlanOutcome {
  const width = interval ?? usualInterval(to - from);
  const plan = {
    from: Math.floor(from / width) * width,
    to: Math.ceil(to / width) * width,
    interval: width,
  };
  const count = (plan.to - plan.from) / width;
  const most = Math.min(MOST_BUCKETS, Math.floor(mostGroupBuckets / groups));
  return count > most ? { kind: "too-many", count, most } : { kind: "plan", plan };
}

function usualInterval(length: number): number {
  const fitting = USUAL_INTERVALS.find((interval) => length / interval <= USUAL_BUCKETS);
  const longest = USUAL_INTERVALS.at(-1)!;
  return fitting ?? Math.ceil(length / USUAL_BUCKETS / longest) * longest;
}

/** Every bucket of the plan in order, empty ones included, so that a chart has no holes. */
export function fillBuckets(
  plan: BucketPlan,
  found: readonly AnalyticsBucket[],
): readonly AnalyticsBucket[] {
  const byStart = new Map(found.map((bucket) => [bucket.start, bucket]));
  const buckets: AnalyticsBucket[] = [];
  for (let start = plan.from; start < plan.to; start += plan.interval) {
    buckets.push(byStart.get(start) ?? { start, ...NO_TRACES });
  }
  return buckets;
}
