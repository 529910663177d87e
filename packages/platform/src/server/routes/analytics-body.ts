import type { Analytics, AnalyticsBucket, AnalyticsFigures } from "@agate/protocol";
import type {
  AnalyticsResult,
  AnalyticsBucket as StoredBucket,
  AnalyticsFigures as StoredFigures,
} from "../../stores/span-query.ts";
import { fillBuckets } from "../../traces/fill-buckets.ts";
import type { BucketPlan } from "../../traces/plan-buckets.ts";
import { formatInterval } from "../../traces/time-interval.ts";
import { formatDateTime } from "../query/date-time.ts";

/** The answer: every bucket of the plan, in the groups too where there are any. */
export function analyticsBody(
  plan: BucketPlan,
  result: AnalyticsResult,
  isGrouped: boolean,
): Analytics {
  const bucketsOf = (found: readonly StoredBucket[]) => fillBuckets(plan, found).map(bucketOf);
  return {
    from: formatDateTime(plan.from),
    to: formatDateTime(plan.to),
    interval: formatInterval(plan.interval),
    total: figuresOf(result.total),
    buckets: bucketsOf(result.buckets),
    ...(isGrouped && {
      groups: result.groups.map((group) => ({
        key: group.key,
        ...figuresOf(group),
        buckets: bucketsOf(group.buckets),
      })),
      groups_left_out: result.groupsLeftOut,
    }),
  };
}

function bucketOf(bucket: StoredBucket): AnalyticsBucket {
  return { start: formatDateTime(bucket.start), ...figuresOf(bucket) };
}

function figuresOf(figures: StoredFigures): AnalyticsFigures {
  return {
    count: figures.count,
    errors: figures.errors,
    cost: figures.cost,
    with_cost: figures.withCost,
    tokens: {
      input: figures.inputTokens,
      output: figures.outputTokens,
      total: figures.totalTokens,
    },
    with_tokens: figures.withTokens,
    latency: figures.latency,
  };
}
