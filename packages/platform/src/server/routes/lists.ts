import * as z from "zod/mini";
import type { SpanStore } from "../../stores/span-store.ts";
import type { ListKind, PageLimits } from "../../traces/read-page.ts";
import { decodeCursor, PAGE_LIMITS, readPage } from "../../traces/read-page.ts";
import { JSON_TYPE, jsonAnswer, problemAnswer } from "../answer.ts";
import { integer, parsed } from "../inputs/input-kinds.ts";
import { listContentInput } from "../inputs/list-content.ts";
import {
  checkTimeRange,
  SPAN_FILTER_ERRORS,
  spanFilterInputs,
  toSpanFilter,
} from "../inputs/span-filter.ts";
import type { Operation, Route } from "../route.ts";
import { route, success } from "../route.ts";

const DEFAULT_LIMIT = 50;

function listQuery(kind: ListKind) {
  return z.object({
    ...spanFilterInputs(),
    content: listContentInput(),
    limit: z._default(
      integer(
        {
          description: `How many to return at most. A page also ends when it holds ${PAGE_LIMITS.bytes / 1024 ** 2} MiB, and with \`q\` when many records were read for it, so it may have fewer items though the list goes on.`,
        },
        { least: 1, most: 1000 },
      ),
      DEFAULT_LIMIT,
    ),
    cursor: z.optional(
      parsed(
        {
          description: "The `next_cursor` of the page before. Keep the other parameters the same.",
        },
        {},
        (text) => {
          const value = decodeCursor(kind, text);
          if (value !== undefined) return { kind: "value", value };
          const msg = `Must be a next_cursor of the list of ${kind}.`;
          return { kind: "problem", type: "cursor_invalid", msg };
        },
      ),
    ),
  });
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
  return route({
    ...WORDS[kind],
    method: "GET",
    path: `/observability/${kind}/`,
    access: "read",
    tag: "observability",
    query: () => listQuery(kind),
    success: success(
      "SpanList",
      "One page. `next_cursor` is null on the last; any other page may have fewer items than `limit`. A large page is streamed.",
    ),
    errors: [...SPAN_FILTER_ERRORS, "cursor_invalid", "query_queue_full", "query_timeout"],
    answer: async ({ caller: { project }, query, gone }) => {
      const badRange = checkTimeRange(query.from, query.to);
      if (badRange !== undefined) return problemAnswer(badRange);
      const filter = toSpanFilter(query);
      const signal = gone();
      const verb = kind === "traces" ? "listTraces" : "listSpans";
      const page = await readPage({
        after: query.cursor ?? null,
        limit: query.limit,
        read: (part) => store[verb]({ project, filter, content: query.content, ...part }, signal),
        limits,
      });
      return page.kind === "whole"
        ? jsonAnswer(page.json)
        : { kind: "stream", status: 200, contentType: JSON_TYPE, open: () => page.chunks };
    },
  });
}
