import type { ListedSpan, SpanKind, SpanStatus, Usage } from "@agate/protocol";
import { AGATE_ATTRIBUTES } from "@agate/protocol";
import { cutText, previewText } from "@agate/protocol/preview";
import { type RowScores, rowScores } from "./row-scores.ts";

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
  /** How many spans of the trace failed; 0 in a list of spans. */
  readonly failedSpans: number;
  /** RFC 3339 in UTC with six fraction digits: texts in this form sort as the times do. */
  readonly startedAt: string;
  /** Milliseconds. */
  readonly latency: number | null;
  /** Of the whole trace; in a list of spans, of the span without its children. So is the cost. */
  readonly usage: Usage | null;
  readonly cost: number | null;
  /** How many calls of the trace have no price, so that the cost is of the others; 0 in a list of spans. */
  readonly unpricedCalls: number;
  readonly application: string | null;
  readonly route: string | null;
  readonly variant: string | null;
  readonly revision: number | null;
  /** `default@3`, where a playground call has changed its values: it names no variant then. */
  readonly editedFrom: string | null;
  readonly environment: string | null;
  readonly userId: string | null;
  readonly sessionId: string | null;
  /** Of the top span; in a list of spans, of the span. */
  readonly scores: RowScores;
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
    failedSpans: metadata.failed_spans ?? 0,
    startedAt: record.created_at,
    latency: metadata.latency,
    usage: figures.usage,
    cost: figures.cost,
    unpricedCalls: view === "traces" ? (metadata.total.unpriced_calls ?? 0) : 0,
    application: metadata.application,
    route: typeof route === "string" ? route : null,
    variant: variant.variant_name ?? variant.variant_id,
    revision: variant.revision,
    editedFrom: typeof edited === "string" ? edited : null,
    environment: record.environment,
    userId: record.user_id,
    sessionId: metadata.session_id,
    scores: rowScores(metadata.scores),
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

const LONGEST = 240;

/**
 * The beginning of a recorded value on one line, with an ellipsis where there is more. A value that the
 * platform has cut already is longer than this.
 */
export function previewOf(value: unknown): string {
  const text = previewText(value);
  return text.length > LONGEST ? `${cutText(text, LONGEST)}…` : text;
}
