import type { AnalyticsBucket } from "../stores/span-query.ts";
import { NO_TRACES } from "../stores/span-query.ts";
import type { BucketPlan } from "./plan-buckets.ts";

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
