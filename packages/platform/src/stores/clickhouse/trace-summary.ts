import type { TotalFigures } from "@agate/protocol";
import { buildTree, compareNodes } from "@agate/spans/tree";
import type { TraceDimensions } from "../summary/summary-columns.ts";
import { fillDimensions, NO_DIMENSIONS, totalColumns } from "../summary/summary-columns.ts";
import { FILTERED_COLUMNS } from "./clickhouse-schema.ts";
import type { SpanFacts, SpanWrite } from "./span-row.ts";
import { wellFormed } from "./span-row.ts";

/** The columns of a trace that come from its top, beside its dimensions. */
export type TopColumns = readonly [
  latency: number | null,
  name: string,
  kind: string,
  status: string,
];

/** What lists and analytics know of a trace. */
export interface TraceSummary {
  readonly traceId: string;
  /** Of the newest span that it was made from. */
  readonly newest: number;
  /** Of the trace's first write. */
  readonly firstVersion: number;
  readonly received: number;
  /** How many spans it was made from. */
  readonly spans: number;
  readonly start: number;
  readonly startNanos: number;
  readonly topId: string;
  /** Of the write that the top is from. */
  readonly topVersion: number;
  readonly top: TopColumns;
  readonly dimensions: TraceDimensions;
  readonly total: TotalFigures;
  /** How many of the spans failed. */
  readonly failed: number;
}

export const SUMMARY_COLUMNS = [
  "project",
  "start",
  "start_nanos",
  "trace_id",
  "version",
  "moved",
  "received",
  "first_version",
  "spans",
  "top_id",
  "total",
  ...FILTERED_COLUMNS,
  "cost",
  "input_tokens",
  "output_tokens",
  "total_tokens",
  "failed_spans",
  "unpriced_calls",
  "record",
] as const;

/**
 * The summary of a trace that consists of these spans.
 *
 * @param first Of the trace's first write, and its last arrival; where it is new, these spans'.
 */
export function summaryOf(
  writes: readonly SpanWrite[],
  first: { readonly firstVersion: number; readonly received: number } = firstOf(writes),
): TraceSummary {
  const spans = writes.map(({ span }) => span);
  const tree = buildTree(spans);
  const top = spans[tree.top] as SpanFacts;
  const others = spans.toSorted(compareNodes);
  return {
    traceId: top.traceId,
    ...first,
    newest: writes.reduce((newest, { version }) => Math.max(newest, version), 0),
    spans: spans.length,
    start: top.start,
    startNanos: top.startNanos,
    topId: top.id,
    topVersion: (writes[tree.top] as SpanWrite).version,
    top: [top.latency, wellFormed(top.name), top.kind, top.status],
    dimensions: fillDimensions(dimensionsOf(top), others.map(dimensionsOf)),
    total: tree.total(tree.top),
    failed: spans.filter(({ status }) => status === "ERROR").length,
  };
}

function firstOf(writes: readonly SpanWrite[]) {
  return {
    firstVersion: writes.reduce((first, { version }) => Math.min(first, version), Infinity),
    received: writes.reduce((last, { receivedAt }) => Math.max(last, receivedAt), 0),
  };
}

function dimensionsOf(span: SpanFacts): TraceDimensions {
  return [
    wellFormed(span.application),
    wellFormed(span.route),
    wellFormed(span.variant),
    span.revision,
    wellFormed(span.environment),
    wellFormed(span.userId),
    wellFormed(span.sessionId),
    wellFormed(span.run),
  ];
}

/** Of two summaries of a trace, the one made from more recent or from more spans has the higher version. */
export function summaryVersion({ newest, spans }: Pick<TraceSummary, "newest" | "spans">): string {
  return String((BigInt(newest) << 32n) | BigInt(spans));
}

/**
 * Values in the order of {@link SUMMARY_COLUMNS}.
 *
 * @param record The top's, where it is kept with the summary.
 */
export function summaryRow(project: string, summary: TraceSummary, record = ""): unknown[] {
  const [cost, inputTokens, outputTokens, totalTokens, shown, failedSpans, unpricedCalls] =
    totalColumns(summary.total, summary.failed);
  return [
    project,
    summary.start,
    summary.startNanos,
    summary.traceId,
    summaryVersion(summary),
    0,
    summary.received,
    summary.firstVersion,
    summary.spans,
    summary.topId,
    shown,
    ...summary.top,
    ...summary.dimensions,
    cost,
    inputTokens,
    outputTokens,
    totalTokens,
    failedSpans,
    unpricedCalls,
    record,
  ];
}

/** A row that marks the start at which a trace was listed before as moved. */
export function movedRow(project: string, start: number, summary: TraceSummary): unknown[] {
  const nothing = NO_DIMENSIONS;
  return [
    project,
    start,
    0,
    summary.traceId,
    summaryVersion(summary),
    1,
    summary.received,
    0,
    0,
    "",
    "",
    ...[null, "", "", ""],
    ...nothing,
    ...[null, null, null, null],
    ...[0, 0],
    "",
  ];
}
