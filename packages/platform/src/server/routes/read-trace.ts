import type { SpanStore } from "../../stores/span-store.ts";
import { parseTraceId } from "../../traces/span-ids.ts";
import { JSON_TYPE } from "../answer.ts";
import { problemAnswer } from "../errors/error-answer.ts";
import { badId, TRACE_ID_PARAMETER } from "./id-parameters.ts";
import type { Route } from "./route.ts";
import { callerOf, goneSignal } from "./route.ts";
import { answerTree } from "./tree-answer.ts";

export function readTraceRoute(store: SpanStore): Route {
  return {
    method: "GET",
    path: "/observability/traces/{trace_id}/",
    access: "read",
    operation: {
      id: "getTrace",
      tag: "observability",
      summary: "Get a trace",
      description:
        "The top span of the trace with all others nested below it: children by start time, then id. Spans whose parent is not there hang under the top. A large trace is streamed.",
      pathParameters: { trace_id: TRACE_ID_PARAMETER },
      success: {
        status: 200,
        description: "The trace.",
        body: { [JSON_TYPE]: { schema: "SpanRecord" } },
      },
      errors: ["trace_not_found", "id_invalid", "query_queue_full", "trace_damaged"],
    },
    handle: (request) => {
      const text = request.params.trace_id ?? "";
      const traceId = parseTraceId(text);
      if (traceId === undefined) return problemAnswer(badId("trace_id", text));
      return answerTree(store, callerOf(request).project, { kind: "trace", traceId }, () =>
        goneSignal(request),
      );
    },
  };
}
