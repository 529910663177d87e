import { SPAN_KINDS, SPAN_STATUSES } from "@agate/protocol";
import type { SpanFilter } from "../../stores/span-query.ts";
import type { Problem } from "../errors/error-answer.ts";
import { readDateTime } from "./date-time.ts";
import {
  amountParameter,
  choiceParameter,
  integerParameter,
  textParameter,
} from "./parameter-kinds.ts";
import type { QueryParameter, QueryValues } from "./query-parameter.ts";

/**
 * What is recorded may be of any length, and `group_by` tells it in full: a value is accepted as far as
 * a URL can hold it, which a server takes up to 64 KiB of, escaped.
 */
const LONGEST_VALUE = 16_000;

function recordedText(naming: Parameters<typeof textParameter>[0]): QueryParameter<string> {
  return textParameter(naming, LONGEST_VALUE);
}

function timeParameter(name: string, description: string, example: string): QueryParameter<number> {
  const schema = { type: "string", examples: [example] };
  return { name, description, schema, parse: readDateTime };
}

/** The time range of lists and analytics. */
export const TIME_RANGE_PARAMETERS = {
  from: timeParameter(
    "from",
    "Started at this time or later. ISO 8601 with `Z` or an offset; a date alone means midnight UTC.",
    "2026-11-15T10:00:00Z",
  ),
  to: timeParameter("to", "Started before this time.", "2026-11-15T16:00:00Z"),
} as const;

/** The filters that lists and analytics share. */
export const SPAN_FILTER_PARAMETERS = {
  application: recordedText({ name: "application", description: "Name of the application." }),
  route: recordedText({
    name: "route",
    description: "Path of the route that was called, as declared; the entrypoint is `/`.",
    example: "/summarize",
  }),
  variant: recordedText({
    name: "variant",
    description: "Name of the variant, or its id where it has no name.",
  }),
  revision: integerParameter(
    { name: "revision", description: "Revision of the variant." },
    { least: 1, most: 2 ** 31 - 1 },
  ),
  environment: recordedText({
    name: "environment",
    description: "Name of the environment.",
    example: "production",
  }),
  status: choiceParameter({ name: "status", description: "Status of the span." }, SPAN_STATUSES),
  spankind: choiceParameter({ name: "spankind", description: "What the span did." }, SPAN_KINDS),
  name: recordedText({ name: "name", description: "Name of the span, in full." }),
  userId: recordedText({ name: "user_id", description: "Whom the work was for." }),
  sessionId: recordedText({
    name: "session_id",
    aliases: ["session"],
    description: "Session or conversation.",
  }),
  minLatency: amountParameter({
    name: "min_latency",
    description: "Took at least so many milliseconds.",
  }),
  minCost: amountParameter({
    name: "min_cost",
    description: "Cost at least so many US dollars: a trace in total, a span by itself.",
  }),
  text: textParameter({
    name: "q",
    description:
      'Words that all occur in name or content; `"in quotes"` as a phrase, `begin*` as a prefix. A trace matches when one of its spans does. New spans can be found after a few seconds.',
    example: 'refund "order 7"',
  }),
} as const;

type FilterValues = QueryValues<typeof SPAN_FILTER_PARAMETERS & typeof TIME_RANGE_PARAMETERS>;

/** The store's filter. */
export function toSpanFilter({ from, to, ...same }: FilterValues): SpanFilter {
  return {
    ...same,
    ...(from !== undefined && { startedFrom: from }),
    ...(to !== undefined && { startedBefore: to }),
  };
}

/** What is wrong with a time range; undefined when nothing is. */
export function checkTimeRange(
  from: number | undefined,
  to: number | undefined,
): Problem | undefined {
  if (from === undefined || to === undefined || from < to) return undefined;
  return { type: "time_range_invalid", loc: ["query", "from"], msg: "Must be before to." };
}
