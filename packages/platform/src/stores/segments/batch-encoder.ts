import type { Figures } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import type { SpanBatch } from "../span-store.ts";
import type { SpanColumns } from "../summary/summary-columns.ts";
import type { EncodedTrace } from "./segment-encoder.ts";
import { createSegmentEncoder } from "./segment-encoder.ts";

export interface TraceToWrite extends EncodedTrace {
  readonly traceId: string;
  /** By index in the list that was encoded, like the indices in the segments. */
  readonly columns: readonly SpanColumns[];
  readonly total: Figures;
}

/** A batch as it travels to the writer's thread: the CPU work is done, only SQL is left. */
export interface BatchToWrite {
  readonly project: string;
  readonly receivedAt: number;
  readonly traces: readonly TraceToWrite[];
}

/** Groups a batch by trace and encodes each. Keeps a scratch buffer between calls. */
export function createBatchEncoder(): (batch: SpanBatch) => BatchToWrite {
  const encodeTrace = createSegmentEncoder();
  return (batch) => {
    const traces: TraceToWrite[] = [];
    for (const [traceId, spans] of byTrace(batch.spans)) {
      traces.push({ traceId, ...encodeTrace(spans), columns: spans.map(columnsOf) });
    }
    return { project: batch.project, receivedAt: batch.receivedAt, traces };
  };
}

/** The buffers of a batch, to be moved and not copied to the other thread. */
export function transferablesOf(batch: BatchToWrite): ArrayBuffer[] {
  return batch.traces.flatMap((trace) => trace.segments.map((segment) => segment.body.buffer));
}

/** Each span id once a trace: the last write wins. */
function byTrace(spans: readonly StoredSpan[]): Map<string, readonly StoredSpan[]> {
  const groups = new Map<string, Map<string, StoredSpan>>();
  for (const span of spans) {
    let group = groups.get(span.traceId);
    if (group === undefined) {
      group = new Map();
      groups.set(span.traceId, group);
    }
    group.set(span.id, span);
  }
  return new Map([...groups].map(([traceId, group]) => [traceId, [...group.values()]]));
}

function columnsOf(span: StoredSpan): SpanColumns {
  return [
    span.id,
    span.start,
    span.startNanos,
    span.latency,
    span.name,
    span.kind,
    span.status,
    span.application,
    span.route,
    span.variant,
    span.revision,
    span.environment,
    span.userId,
    span.sessionId,
    span.figures?.cost ?? null,
  ];
}
