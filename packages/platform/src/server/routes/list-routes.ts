import type { ListRequest } from "../../stores/span-query.ts";
import type { SpanStore } from "../../stores/span-store.ts";
import type { ListKind } from "../../traces/list-cursor.ts";
import { decodeCursor } from "../../traces/list-cursor.ts";
import type { PageLimits } from "../../traces/read-page.ts";
import { PAGE_LIMITS, readPage } from "../../traces/read-page.ts";
import { JSON_TYPE, jsonAnswer } from "../answer.ts";
import { problemAnswer, problemsAnswer } from "../errors/error-answer.ts";
import { integerParameter } from "../query/parameter-kinds.ts";
import type { QueryParameter } from "../query/query-parameter.ts";
import { readQuery } from "../query/query-parameter.ts";
import {
  checkTimeRange,
  SPAN_FILTER_PARAMETERS,
  TIME_RANGE_PARAMETERS,
  toSpanFilter,
} from "../query/span-filter-parameters.ts";
import type { Operation, Route } from "./route.ts";
import { callerOf, goneSignal } from "./route.ts";

const DEFAULT_LIMIT = 50;

const LIMIT = integerParameter(
  {
    name: "limit",
    description: `How many to return at most. A page also ends when it holds ${PAGE_LIMITS.bytes / 1024 ** 2} MiB, so it may have fewer items though the list goes on.`,
  },
  { least: 1, most: 1000, default: DEFAULT_LIMIT },
);

function cursorParameter(kind: ListKind): QueryParameter<NonNullable<ListRequest["after"]>> {
  return {
    name: "cursor",
    description: "The `next_cursor` of the page before. Keep the other parameters the same.",
    schema: { type: "string" },
    parse: (text) => {
      const position = decodeCursor(kind, text);
      return position !== undefined
        ? { kind: "value", value: position }
        : {
            kind: "problem",
            type: "cursor_invalid",
            msg: `Takes a next_cursor of the list of ${kind}.`,
          };
    },
  };
}

const WORDS: Record<ListKind, Pick<Operation, "id" | "summary" | "description">> = {
  traces: {
    id: "listTraces",
    summary: "List traces",
    description:
      "The top span of each trace, newest first. Filters look at the top span; `min_cost` and `q` at the whole trace. Where the top names no application, variant, environment, user or session, the earliest span that does speaks for the trace.",
  },
  spans: { id: "listSpans", summary: "List spans", description: "Spans, newest first." },
};

/** `GET /observability/traces/` or `GET /observability/spans/`. */
export function listRoute(
  kind: ListKind,
  store: SpanStore,
  limits: PageLimits = PAGE_LIMITS,
): Route {
  const parameters = {
    ...SPAN_FILTER_PARAMETERS,
    ...TIME_RANGE_PARAMETERS,
    limit: LIMIT,
    cursor: cursorParameter(kind),
  };
  return {
    method: "GET",
    path: `/observability/${kind}/`,
    access: "read",
    operation: {
      ...WORDS[kind],
      tag: "observability",
      query: parameters,
      success: {
        status: 200,
        description:
          "One page. `next_cursor` is null on the last; any other page may have fewer items than `limit`. A large page is streamed.",
        body: { [JSON_TYPE]: { schema: "SpanList" } },
      },
      errors: [
        "value_not_allowed",
        "number_invalid",
        "out_of_range",
        "date_time_invalid",
        "time_range_invalid",
        "cursor_invalid",
        "text_too_long",
        "query_queue_full",
        "query_timeout",
      ],
    },
    handle: async (request) => {
      const query = readQuery(parameters, new URLSearchParams(request.query));
      if (query.kind === "problems") return problemsAnswer(query.problems);
      const { limit = DEFAULT_LIMIT, cursor = null, ...filters } = query.values;
      const badRange = checkTimeRange(filters.from, filters.to);
      if (badRange !== undefined) return problemAnswer(badRange);
      const { project } = callerOf(request);
      const filter = toSpanFilter(filters);
      const gone = goneSignal(request);
      const verb = kind === "traces" ? "listTraces" : "listSpans";
      const page = await readPage({
        after: cursor,
        limit,
        read: (part) => store[verb]({ project, filter, ...part }, gone),
        limits,
      });
      return page.kind === "whole"
        ? jsonAnswer(page.json)
        : { kind: "stream", status: 200, contentType: JSON_TYPE, open: () => page.chunks };
    },
  };
}
