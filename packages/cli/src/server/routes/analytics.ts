import type { AnalyticsBucket } from "../../stores/span-query.ts";
import type { SpanStore } from "../../stores/span-store.ts";
import { fillBuckets } from "../../traces/fill-buckets.ts";
import { MOST_BUCKETS, planBuckets } from "../../traces/plan-buckets.ts";
import { formatInterval, parseInterval } from "../../traces/time-interval.ts";
import { JSON_TYPE, jsonAnswer } from "../answer.ts";
import { problemAnswer, problemsAnswer } from "../errors/error-answer.ts";
import { formatDateTime } from "../query/date-time.ts";
import type { QueryParameter } from "../query/query-parameter.ts";
import { readQuery } from "../query/query-parameter.ts";
import {
  checkTimeRange,
  SPAN_FILTER_PARAMETERS,
  TIME_RANGE_PARAMETERS,
  toSpanFilter,
} from "../query/span-filter-parameters.ts";
import type { Route } from "./route.ts";
import { callerOf, queryOf } from "./route.ts";

const DAY = 86_400_000_000;

const INTERVAL: QueryParameter<number> = {
  name: "interval",
  description:
    "Width of a bucket: a whole number of `s`, `m`, `h` or `d`. Without it, one that gives at most about a hundred buckets.",
  schema: { type: "string", pattern: "^[1-9][0-9]{0,8}[smhd]$", examples: ["5m"] },
  parse: (text) => {
    const interval = parseInterval(text);
    return interval !== undefined
      ? { kind: "value", value: interval }
      : {
          kind: "problem",
          type: "interval_invalid",
          msg: "Takes a whole number of s, m, h or d, such as 5m.",
        };
  },
};

const PARAMETERS = { ...SPAN_FILTER_PARAMETERS, ...TIME_RANGE_PARAMETERS, interval: INTERVAL };

/** @param now Milliseconds since 1970. */
export function analyticsRoute(store: SpanStore, now: () => number): Route {
  return {
    method: "GET",
    path: "/observability/analytics/",
    access: "read",
    operation: {
      id: "getAnalytics",
      tag: "observability",
      summary: "Count traces over time",
      description:
        "Traces by start time in equal buckets: how many, how many failed, their cost, tokens and latency. Empty buckets are there too. The range is widened to whole buckets; without `from` it begins a day before `to`, without `to` it ends now.",
      query: PARAMETERS,
      success: {
        status: 200,
        description: "The buckets in order.",
        body: { [JSON_TYPE]: { schema: "Analytics" } },
      },
      errors: [
        "value_not_allowed",
        "number_invalid",
        "out_of_range",
        "date_time_invalid",
        "time_range_invalid",
        "interval_invalid",
        "too_many_buckets",
        "text_too_long",
      ],
    },
    handle: async (context) => {
      const query = readQuery(PARAMETERS, queryOf(context));
      if (query.kind === "problems") return problemsAnswer(query.problems);
      const { from: givenFrom, to = now() * 1000, interval, ...filters } = query.values;
      const from = givenFrom ?? to - DAY;
      const badRange = checkTimeRange(from, to);
      if (badRange !== undefined) return problemAnswer(badRange);
      const outcome = planBuckets(from, to, interval);
      if (outcome.kind === "too-many") {
        return problemAnswer({
          type: "too_many_buckets",
          loc: ["query", "interval"],
          msg: `Gives ${outcome.count} buckets; at most ${MOST_BUCKETS} are allowed. Take a longer interval or a shorter range.`,
        });
      }
      const { plan } = outcome;
      const filter = toSpanFilter(filters);
      const { project } = callerOf(context);
      const found = await store.analytics({ project, filter, ...plan });
      return jsonAnswer(
        JSON.stringify({
          from: formatDateTime(plan.from),
          to: formatDateTime(plan.to),
          interval: formatInterval(plan.interval),
          buckets: fillBuckets(plan, found).map(bucketBody),
        }),
      );
    },
  };
}

function bucketBody(bucket: AnalyticsBucket) {
  return {
    start: formatDateTime(bucket.start),
    count: bucket.count,
    errors: bucket.errors,
    cost: bucket.cost,
    tokens: {
      input: bucket.inputTokens,
      output: bucket.outputTokens,
      total: bucket.totalTokens,
    },
    latency: bucket.latency,
  };
}
