import type { ListedSpan, SpanKind, SpanStatus, Usage } from "@agate/protocol";
import { AGATE_ATTRIBUTES } from "@agate/protocol";
import { previewOf } from "./preview-of.ts";

/** What is listed: traces by their top span, or every span. */
export type ListView = "traces" | "spans";

/**
 * What a list shows of a record. Records are kilobytes each; a list of a hundred thousand keeps only
 * this of them.
 */
export interface TraceRow {
  /** Tells it from the others: the trace's id in a list of traces, the span's in one of spans. */
  readonly key: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly status: SpanStatus;
  readonly statusMessage: string | null;
  readonly isCancelled: boolean;
  /** How many spans of the trace failed; 0 where none did or it is not known, as in a list of spans. */
  readonly failedSpans: number;
  /** RFC 3339 in UTC with six fraction digits: texts in this form sort as the times do. */
  readonly startedAt: string;
  /** Milliseconds. */
  readonly latency: number | null;
  /** Of the whole trace; in a list of spans, of the span by itself. So is the cost. */
  readonly usage: Usage | null;
  readonly cost: number | null;
  readonly application: string | null;
  readonly route: string | null;
  readonly variant: string | null;
  readonly revision: number | null;
  /** `default@3`, where a playground call has changed its values: it names no variant then. */
  readonly editedFrom: string | null;
  readonly environment: string | null;
  readonly userId: string | null;
  readonly sessionId: string | null;
  /** The beginning of what went in, and of what came out, on one line. */
  readonly input: string;
  readonly output: string;
}

export function traceRow(record: ListedSpan, view: ListView): TraceRow {
  const { metadata, variant, content } = record;
  const figures = view === "traces" ? metadata.total : metadata;
  const route = metadata.attributes[AGATE_ATTRIBUTES.route];
  const edited = metadata.attributes[AGATE_ATTRIBUTES.editedFrom];
  return {
    key: view === "traces" ? record.trace_id : record.id,
    traceId: record.trace_id,
    spanId: record.id,
    name: record.name,
    kind: record.spankind,
    status: record.status,
    statusMessage: metadata.status_message,
    isCancelled: metadata.cancelled === true,
    failedSpans: 0,
    startedAt: record.created_at,
    latency: metadata.latency,
    usage: figures.usage,
    cost: figures.cost,
    application: metadata.application,
    route: typeof route === "string" ? route : null,
    variant: variant.variant_name ?? variant.variant_id,
    revision: variant.revision,
    editedFrom: typeof edited === "string" ? edited : null,
    environment: record.environment,
    userId: record.user_id,
    sessionId: metadata.session_id,
    input: previewOf(content.inputs),
    output: previewOf(content.outputs),
  };
}

/** Newest first, then by id: below 0 where `a` stands before `b`. As the platform's lists are. */
export function compareRows(a: RowPosition, b: RowPosition): number {
  if (a.startedAt !== b.startedAt) return a.startedAt > b.startedAt ? -1 : 1;
  if (a.traceId !== b.traceId) return a.traceId > b.traceId ? -1 : 1;
  return a.key === b.key ? 0 : a.key > b.key ? -1 : 1;
}

/** What the platform orders its lists by. */
export type RowPosition = Pick<TraceRow, "startedAt" | "traceId" | "key">;
