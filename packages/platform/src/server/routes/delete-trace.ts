import type { SpanStore } from "../../stores/span-store.ts";
import { parseTraceId } from "../../traces/span-ids.ts";
import { opaqueAnswer, problemAnswer } from "../errors/error-answer.ts";
import { badId, TRACE_ID_PARAMETER } from "./id-parameters.ts";
import type { Route } from "./route.ts";
import { callerOf } from "./route.ts";
import { notFound } from "./tree-answer.ts";

const RETRY_AFTER_SECONDS = "5";

export function deleteTraceRoute(store: SpanStore, onUnavailable: (reason: string) => void): Route {
  return {
    method: "DELETE",
    path: "/observability/traces/{trace_id}/",
    access: "admin",
    operation: {
      id: "deleteTrace",
      tag: "observability",
      summary: "Delete a trace",
      description:
        "Deletes every span of the trace for good. A span of it that arrives later begins a new trace with the same id.",
      pathParameters: { trace_id: TRACE_ID_PARAMETER },
      success: { status: 204, description: "The trace is gone." },
      errors: ["trace_not_found", "id_invalid", "store_unavailable"],
    },
    handle: async (request) => {
      const text = request.params.trace_id ?? "";
      const traceId = parseTraceId(text);
      if (traceId === undefined) return problemAnswer(badId("trace_id", text));
      const outcome = await store.deleteTrace(callerOf(request).project, traceId);
      switch (outcome.kind) {
        case "deleted":
          return { kind: "full", status: 204, contentType: null, body: "" };
        case "missing":
          return notFound({ kind: "trace", traceId });
        case "unavailable":
          onUnavailable(outcome.reason);
          return opaqueAnswer("store_unavailable", { "retry-after": RETRY_AFTER_SECONDS });
      }
    },
  };
}
