import * as z from "zod/mini";
import { opaqueAnswer, problemAnswer } from "../answer.ts";
import { listContentInput } from "../inputs/list-content.ts";
import {
  checkTimeRange,
  SPAN_FILTER_ERRORS,
  spanFilterInputs,
  toSpanFilter,
} from "../inputs/span-filter.ts";
import type { LiveFeeds } from "../live/live-feed.ts";
import { EVENT_STREAM, eventStreamAnswer } from "../live/server-sent-event.ts";
import type { Route } from "../route.ts";
import { content, route } from "../route.ts";

const RETRY_AFTER_SECONDS = "5";

export function liveRoute(feeds: LiveFeeds): Route {
  return route({
    method: "GET",
    path: "/observability/live/",
    access: "read",
    id: "watchTraces",
    tag: "observability",
    summary: "Watch traces as they arrive",
    description:
      "Server-sent events. `trace`: a new trace; `update`: spans were added to one. Their data is the record of the trace's top span, as in the list of traces, with previews of long values unless `content` is `full`. Changes within a quarter of a second are one event. With filters, only traces that the list of traces finds by the same filters; `update` is then also the first event of a trace that did not match before, `unmatched` (its data is the `trace_id`) says that a trace with new spans does not match, or no longer, and with `q` an event waits until the words of the spans can be found, a few seconds. `lagged`: events were left out (`missed` is their number) because they came faster than they could be read or sent; load the list again.",
    query: () => z.object({ ...spanFilterInputs(), content: listContentInput() }),
    success: content(EVENT_STREAM, "The stream; it ends when the server stops."),
    errors: [...SPAN_FILTER_ERRORS, "shutting_down"],
    answer: ({ caller: { project }, query }) => {
      const badRange = checkTimeRange(query.from, query.to);
      if (badRange !== undefined) return problemAnswer(badRange);
      if (feeds.isClosed) {
        return opaqueAnswer("shutting_down", { "retry-after": RETRY_AFTER_SECONDS });
      }
      const view = { filter: toSpanFilter(query), content: query.content };
      return eventStreamAnswer((signal) => feeds.subscribe(project, view, signal));
    },
  });
}
