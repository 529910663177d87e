import { opaqueAnswer, problemAnswer, problemsAnswer } from "../errors/error-answer.ts";
import type { LiveFeeds } from "../live/live-feed.ts";
import { readQuery } from "../query/query-parameter.ts";
import {
  checkTimeRange,
  SPAN_FILTER_PARAMETERS,
  TIME_RANGE_PARAMETERS,
  toSpanFilter,
} from "../query/span-filter-parameters.ts";
import type { Route } from "./route.ts";
import { callerOf } from "./route.ts";

const EVENT_STREAM = "text/event-stream";
const RETRY_AFTER_SECONDS = "5";
const PARAMETERS = { ...SPAN_FILTER_PARAMETERS, ...TIME_RANGE_PARAMETERS };

export function liveRoute(feeds: LiveFeeds): Route {
  return {
    method: "GET",
    path: "/observability/live/",
    access: "read",
    operation: {
      id: "watchTraces",
      tag: "observability",
      summary: "Watch traces as they arrive",
      description:
        "Server-sent events. `trace`: a new trace; `update`: spans were added to one. Their data is the record of the trace's top span, as in the list of traces. Changes within a quarter of a second are one event. With filters, only traces that the list of traces finds by the same filters; `update` is then also the first event of a trace that did not match before, and with `q` an event waits until the words of the spans can be found, a few seconds. `lagged`: so many events (`missed`) were left out because they came faster than they could be read or sent; load the list again.",
      query: PARAMETERS,
      success: {
        status: 200,
        description: "The stream; it ends when the server stops.",
        body: { [EVENT_STREAM]: { schema: { type: "string" } } },
      },
      errors: [
        "value_not_allowed",
        "number_invalid",
        "out_of_range",
        "date_time_invalid",
        "time_range_invalid",
        "text_too_long",
        "shutting_down",
      ],
    },
    handle: (request) => {
      const query = readQuery(PARAMETERS, new URLSearchParams(request.query));
      if (query.kind === "problems") return problemsAnswer(query.problems);
      const badRange = checkTimeRange(query.values.from, query.values.to);
      if (badRange !== undefined) return problemAnswer(badRange);
      if (feeds.isClosed) {
        return opaqueAnswer("shutting_down", { "retry-after": RETRY_AFTER_SECONDS });
      }
      return {
        kind: "stream",
        status: 200,
        contentType: EVENT_STREAM,
        // A proxy that collects the stream first would make it useless.
        headers: { "cache-control": "no-store", "x-accel-buffering": "no" },
        open: (signal) =>
          feeds.subscribe(callerOf(request).project, toSpanFilter(query.values), signal),
      };
    },
  };
}
