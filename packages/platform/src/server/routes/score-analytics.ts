import type { ScoreAnalytics, ScoreAnalyticsBucket, ScoreAnalyticsFigures } from "@agate/protocol";
import { SCORE_GROUPINGS, SCORE_SOURCE_KINDS } from "@agate/protocol";
import * as z from "zod/mini";
import type { ScoreBucket, ScoreFigures, ScoreFiguresResult } from "../../stores/score-query.ts";
import type { SpanStore } from "../../stores/span-store.ts";
import type { BucketPlan } from "../../traces/buckets.ts";
import { formatInterval } from "../../traces/buckets.ts";
import { problemAnswer } from "../answer.ts";
import { formatDateTime } from "../inputs/date-time.ts";
import { choice, integer } from "../inputs/input-kinds.ts";
import type { Route } from "../route.ts";
import { route, success } from "../route.ts";
import { BUCKET_ERRORS, bucketInputs, planRequest } from "./bucket-inputs.ts";

const DEFAULT_GROUPS = 10;
const MOST_GROUPS = 20;
/** Of all groups together, for each of up to 50 names: an answer stays below about 20 MB. */
const MOST_GROUP_BUCKETS = 4_000;

const scoreAnalyticsQuery = () =>
  z.object({
    ...bucketInputs(),
    group_by: z.optional(
      choice(
        {
          description:
            "Tells the figures also for each value of this, those with most scores first. `revision` groups by variant and revision, `source` by the kind of what has judged.",
        },
        SCORE_GROUPINGS,
      ),
    ),
    source: z.optional(
      choice({ description: "Only scores of this kind of source." }, SCORE_SOURCE_KINDS),
    ),
    group_limit: z._default(
      integer(
        { description: "With `group_by`: how many groups to return at most." },
        { least: 1, most: MOST_GROUPS },
      ),
      DEFAULT_GROUPS,
    ),
  });

/**
 * `GET /observability/analytics/scores/`
 *
 * @param now Milliseconds since 1970.
 */
export function scoreAnalyticsRoute(store: SpanStore, now: () => number): Route {
  return route({
    method: "GET",
    path: "/observability/analytics/scores/",
    access: "read",
    id: "getScoreAnalytics",
    tag: "observability",
    summary: "Average scores over time",
    description:
      "Scores by name, in total and in equal buckets by the start of their traces: how many, how many were skipped or failed, and the mean of the values. Buckets without scores are left out. Filters and range are those of `GET /observability/analytics/`.",
    query: scoreAnalyticsQuery,
    success: success("ScoreAnalytics", "The figures; names with most scores first."),
    errors: [...BUCKET_ERRORS, "query_queue_full", "query_timeout"],
    answer: async ({ caller: { project }, query, gone }, reply) => {
      const groups =
        query.group_by === undefined ? null : { by: query.group_by, limit: query.group_limit };
      const request = { project, query, groups, mostGroupBuckets: MOST_GROUP_BUCKETS, now };
      const outcome = await planRequest(store, request, gone);
      if (outcome.kind === "problem") return problemAnswer(outcome.problem);
      const { plan, filter } = outcome;
      const { source } = query;
      const result = await store.scoreFigures({ project, filter, ...plan, groups, source }, gone());
      return reply(scoreAnalyticsBody(plan, result, groups?.by ?? null));
    },
  });
}

function scoreAnalyticsBody(
  plan: BucketPlan,
  result: ScoreFiguresResult,
  groupedBy: string | null,
): ScoreAnalytics {
  return {
    from: formatDateTime(plan.from),
    to: formatDateTime(plan.to),
    interval: formatInterval(plan.interval),
    names: result.names.map(({ name, labels, buckets, groups, ...figures }) => ({
      name,
      ...figuresOf(figures),
      labels,
      buckets: buckets.map(bucketOf),
      ...(groupedBy !== null && {
        groups: groups.map((group) => ({
          key: group.key,
          ...(groupedBy === "revision" && { revision: group.revision }),
          ...figuresOf(group),
          buckets: group.buckets.map(bucketOf),
        })),
      }),
    })),
    names_left_out: result.namesLeftOut,
    ...(groupedBy !== null && { groups_left_out: result.groupsLeftOut }),
  };
}

function bucketOf(bucket: ScoreBucket): ScoreAnalyticsBucket {
  return { start: formatDateTime(bucket.start), ...figuresOf(bucket) };
}

function figuresOf(figures: ScoreFigures): ScoreAnalyticsFigures {
  const { count, skipped, failed, withValue, mean } = figures;
  return { count, skipped, failed, with_value: withValue, mean };
}
