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
import { fillBuckets, formatInterval, parseInterval, planBuckets } from "../../traces/buckets.ts";
import { problemAnswer } from "../answer.ts";
import { formatDateTime, readDateTime } from "../inputs/date-time.ts";
import { choice, integer, type Parsed, parsed } from "../inputs/input-kinds.ts";
import {
  checkTimeRange,
  FROM_DOC,
  SPAN_FILTER_ERRORS,
  spanFilterInputs,
  toSpanFilter,
} from "../inputs/span-filter.ts";
import type { Route } from "../route.ts";
import { route, success } from "../route.ts";

const DAY = 86_400_000_000;
const DEFAULT_GROUPS = 10;
/** Or a time, as lists take it. */
const EARLIEST = "earliest";

function readInterval(text: string): Parsed<number> {
  const value = parseInterval(text);
  if (value !== undefined) return { kind: "value", value };
  const msg = "Must be a whole number of s, m, h or d, such as 5m.";
  return { kind: "problem", type: "interval_invalid", msg };
}

function readFrom(text: string): Parsed<number | typeof EARLIEST> {
  return text === EARLIEST ? { kind: "value", value: EARLIEST } : readDateTime(text);
}

const analyticsQuery = () =>
  z.object({
    ...spanFilterInputs(),
    from: z.optional(
      parsed(
        {
          ...FROM_DOC,
          description: `${FROM_DOC.description} \`${EARLIEST}\` begins with the first trace that the filters find.`,
        },
        {},
        readFrom,
      ),
    ),
    interval: z.optional(
      parsed(
        {
          description:
            "Width of a bucket: a whole number of `s`, `m`, `h` or `d`. Without it, one that gives at most about a hundred buckets.",
          example: "5m",
        },
        { pattern: "^[1-9][0-9]{0,8}[smhd]$" },
        readInterval,
      ),
    ),
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
    errors: [
      ...SPAN_FILTER_ERRORS,
      "interval_invalid",
      "too_many_buckets",
      "query_queue_full",
      "query_timeout",
    ],
    answer: async ({ caller: { project }, query, gone }, reply) => {
      const { from: givenFrom, to = now() * 1000, ...filters } = query;
      const filter = toSpanFilter(filters);
      const first =
        givenFrom === EARLIEST
          ? await store.earliestStart({ project, filter: { ...filter, startedBefore: to } }, gone())
          : givenFrom;
      const from = first ?? to - DAY;
      const badRange = checkTimeRange(from, to);
      if (badRange !== undefined) return problemAnswer(badRange);
      const groups =
        query.group_by === undefined ? null : { by: query.group_by, limit: query.group_limit };
      const outcome = planBuckets(from, to, query.interval, groups?.limit);
      if (outcome.kind === "too-many") {
        return problemAnswer({
          type: "too_many_buckets",
          loc: ["query", "interval"],
          msg: tooManyBuckets(outcome, groups?.limit),
        });
      }
      const { plan } = outcome;
      const result = await store.analytics({ project, filter, ...plan, groups }, gone());
      return reply(analyticsBody(plan, result, groups !== null));
    },
  });
}

function tooManyBuckets(
  { count, most }: { readonly count: number; readonly most: number },
  groups = 1,
): string {
  return groups === 1
    ? `Gives ${count} buckets; at most ${most} are allowed. Take a longer interval or a shorter range.`
    : `Gives ${count} buckets for each of up to ${groups} groups; at most ${most} are allowed. Take a longer interval, a shorter range or a smaller group_limit.`;
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
    tokens: {
      input: figures.inputTokens,
      output: figures.outputTokens,
      total: figures.totalTokens,
    },
    with_tokens: figures.withTokens,
    latency: figures.latency,
  };
}
