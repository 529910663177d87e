import { NO_ROW_SCORES } from "../../api/row-scores.ts";
import type { TraceRow } from "../../api/trace-row.ts";

/** A row of a list of traces, with nothing known that is not given. */
export function rowOf(given: Partial<TraceRow> = {}): TraceRow {
  const traceId = given.traceId ?? "0af7651916cd43dd8448eb211c80319c";
  return {
    key: traceId,
    traceId,
    spanId: "b7ad6b7169203331",
    name: "answer",
    kind: "WORKFLOW",
    status: "OK",
    statusMessage: null,
    isCancelled: false,
    failedSpans: 0,
    startedAt: "2026-11-15T10:00:00.000000Z",
    latency: null,
    usage: null,
    cost: null,
    unpricedCalls: 0,
    application: null,
    route: null,
    variant: null,
    revision: null,
    editedFrom: null,
    environment: null,
    userId: null,
    sessionId: null,
    scores: NO_ROW_SCORES,
    input: "",
    output: "",
    ...given,
  };
}
