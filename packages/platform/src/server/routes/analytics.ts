import type { Analytics, AnalyticsBucket, AnalyticsFigures } from "@agate/protocol";
import { ANALYTICS_GROUPINGS } from "@agate/protocol";
import * as z from "zod/mini";
import type {
  AnalyticsResult,
  AnalyticsBucket as StoredBucket,
  AnalyticsFigures as StoredFigures,
} from "../../stores/span-query.ts";
import type { SpanStore } from "../../stores/span-store.ts";
import type { BucketPlan } from "../../traces/buckets.ts";
import { fillBuckets, formatInterval } from "../../traces/buckets.ts";
import { problemAnswer } from "../answer.ts";
import { formatDateTime } from "../inputs/date-time.ts";
import { choice, integer } from "../inputs/input-kinds.ts";
import type { Route } from "../route.ts";
import { route, success } from "../route.ts";
import { BUCKET_ERRORS, bucketInputs, planRequest } from "./bucket-inputs.ts";

const DEFAULT_GROUPS = 10;

const analyticsQuery = () =>
  z.object({
    ...bucketInputs(),
    group_by: z.optional(
      choice(
        {
          description:
            "Tells the figures also for each value of this, those with most traces first. A trace has the value that the filter of the same name finds it by.",
        },
        ANALYTICS_GROUPINGS,
      ),
    ),
    group_limit: z._default(
      integer(
        { description: "With `group_by`: how many groups to return at most." },
        { least: 1, most: 100 },
      ),
      DEFAULT_GROUPS,
    ),
  });

/** @param now Milliseconds since 1970. */
export function analyticsRoute(store: SpanStore, now: () => number): Route {
  return route({
    method: "GET",
    path: "/observability/analytics/",
    access: "read",
    id: "getAnalytics",
    tag: "observability",
    summary: "Count traces over time",
    description:
      "Traces by start time in equal buckets, and in total: how many, how many failed, their cost, tokens and latency. Empty buckets are there too. The range is widened to whole buckets; without `from` it begins a day before `to`, without `to` it ends now.",
    query: analyticsQuery,
    success: success("Analytics", "The figures; buckets are in the order of time."),
    errors: [...BUCKET_ERRORS, "query_queue_full", "query_timeout"],
    answer: async ({ caller: { project }, query, gone }, reply) => {
      const groups =
        query.group_by === undefined ? null : { by: query.group_by, limit: query.group_limit };
      const outcome = await planRequest(store, { project, query, groups, now }, gone);
      if (outcome.kind === "problem") return problemAnswer(outcome.problem);
      const { plan, filter } = outcome;
      const result = await store.analytics({ project, filter, ...plan, groups }, gone());
      return reply(analyticsBody(plan, result, groups !== null));
    },
  });
}

/** The answer: every bucket of the plan, in the groups too where there are any. */
function analyticsBody(plan: BucketPlan, result: AnalyticsResult, isGrouped: boolean): Analytics {
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
    priced: figures.priced,
    tokens: {
      input: figures.inputTokens,
      output: figures.outputTokens,
      total: figures.totalTokens,
    },
    with_tokens: figures.withTokens,
    latency: figures.latency,
  };
}
