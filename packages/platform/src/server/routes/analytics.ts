import { ANALYTICS_GROUPINGS } from "@agate/protocol";
import type { SpanStore } from "../../stores/span-store.ts";
import { planBuckets } from "../../traces/plan-buckets.ts";
import { parseInterval } from "../../traces/time-interval.ts";
import { JSON_TYPE, jsonAnswer } from "../answer.ts";
import { problemAnswer, problemsAnswer } from "../errors/error-answer.ts";
import { choiceParameter, integerParameter } from "../query/parameter-kinds.ts";
import type { QueryParameter } from "../query/query-parameter.ts";
import { readQuery } from "../query/query-parameter.ts";
import {
  checkTimeRange,
  SPAN_FILTER_PARAMETERS,
  TIME_RANGE_PARAMETERS,
  toSpanFilter,
} from "../query/span-filter-parameters.ts";
import { analyticsBody } from "./analytics-body.ts";
import type { Route } from "./route.ts";
import { callerOf, goneSignal } from "./route.ts";

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

/** Or a time, as lists take it. */
const EARLIEST = "earliest";

const FROM: QueryParameter<number | typeof EARLIEST> = {
  ...TIME_RANGE_PARAMETERS.from,
  description: `${TIME_RANGE_PARAMETERS.from.description} \`${EARLIEST}\` begins with the first trace that the filters find.`,
  parse: (text) =>
    text === EARLIEST ? { kind: "value", value: EARLIEST } : TIME_RANGE_PARAMETERS.from.parse(text),
};

const DEFAULT_GROUPS = 10;

const PARAMETERS = {
  ...SPAN_FILTER_PARAMETERS,
  ...TIME_RANGE_PARAMETERS,
  from: FROM,
  interval: INTERVAL,
  groupBy: choiceParameter(
    {
      name: "group_by",
      description:
        "Tells the figures also for each value of this, those with most traces first. A trace has the value that the filter of the same name finds it by.",
    },
    ANALYTICS_GROUPINGS,
  ),
  groupLimit: integerParameter(
    { name: "group_limit", description: "With `group_by`: how many groups to return at most." },
    { least: 1, most: 100, default: DEFAULT_GROUPS },
  ),
};

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
        "Traces by start time in equal buckets, and in total: how many, how many failed, their cost, tokens and latency. Empty buckets are there too. The range is widened to whole buckets; without `from` it begins a day before `to`, without `to` it ends now.",
      query: PARAMETERS,
      success: {
        status: 200,
        description: "The figures; buckets are in the order of time.",
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
        "query_queue_full",
        "query_timeout",
      ],
    },
    handle: async (request) => {
      const query = readQuery(PARAMETERS, new URLSearchParams(request.query));
      if (query.kind === "problems") return problemsAnswer(query.problems);
      const {
        from: givenFrom,
        to = now() * 1000,
        interval,
        groupBy,
        groupLimit: limit = DEFAULT_GROUPS,
        ...filters
      } = query.values;
      const { project } = callerOf(request);
      const filter = toSpanFilter(filters);
      const first =
        givenFrom === EARLIEST
          ? await store.earliestStart(
              { project, filter: { ...filter, startedBefore: to } },
              goneSignal(request),
            )
          : givenFrom;
      const from = first ?? to - DAY;
      const badRange = checkTimeRange(from, to);
      if (badRange !== undefined) return problemAnswer(badRange);
      const groups = groupBy === undefined ? null : { by: groupBy, limit };
      const outcome = planBuckets(from, to, interval, groups?.limit);
      if (outcome.kind === "too-many") {
        return problemAnswer({
          type: "too_many_buckets",
          loc: ["query", "interval"],
          msg: tooManyBuckets(outcome, groups?.limit),
        });
      }
      const { plan } = outcome;
      const result = await store.analytics(
        { project, filter, ...plan, groups },
        goneSignal(request),
      );
      return jsonAnswer(JSON.stringify(analyticsBody(plan, result, groups !== null)));
    },
  };
}

function tooManyBuckets(
  { count, most }: { readonly count: number; readonly most: number },
  groups = 1,
): string {
  return groups === 1
    ? `Gives ${count} buckets; at most ${most} are allowed. Take a longer interval or a shorter range.`
    : `Gives ${count} buckets for each of up to ${groups} groups; at most ${most} are allowed. Take a longer interval, a shorter range or a smaller group_limit.`;
}
