import { opaqueAnswer } from "../errors/error-answer.ts";
import type { LiveFeeds } from "../live/live-feeds.ts";
import type { Route } from "./route.ts";
import { callerOf } from "./route.ts";

const EVENT_STREAM = "text/event-stream";
const RETRY_AFTER_SECONDS = "5";

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
        "Server-sent events. `trace`: a new trace; `update`: spans were added to one. Their data is the record of the trace's top span, as in the list of traces. Changes within a quarter of a second are one event. `lagged`: so many events (`missed`) were left out because they came faster than they could be sent.",
      success: {
        status: 200,
        description: "The stream; it ends when the server stops.",
        body: { [EVENT_STREAM]: { schema: { type: "string" } } },
      },
      errors: ["shutting_down"],
    },
    handle: (context) => {
      if (feeds.isClosed) {
        return opaqueAnswer("shutting_down", { "retry-after": RETRY_AFTER_SECONDS });
      }
      return {
        kind: "stream",
        status: 200,
        contentType: EVENT_STREAM,
        // A proxy that collects the stream first would make it useless.
        headers: { "cache-control": "no-store", "x-accel-buffering": "no" },
        open: (signal) => feeds.subscribe(callerOf(context).project, signal),
      };
    },
  };
}
