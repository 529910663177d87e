import type { SpanKind, SpanStatus } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import type { SpanNode } from "@agate/spans/tree";
import { AFTER_LISTED_TOTAL } from "@agate/spans/tree";
import { searchableTexts } from "../search/search-text.ts";
import { wordsText } from "../search/words-text.ts";
import type { FiguresTuple } from "../segments/segment.ts";
import { figuresOf, figuresTuple } from "../segments/segment.ts";
import type { NativeColumn } from "./native-block.ts";

/** All that is known of a span but its record. */
export type SpanFacts = Omit<StoredSpan, "openRecord">;

/** What {@link factsOf} reads of `spans`. */
export const FACT_COLUMNS = `trace_id, span_id, parent_id, start, start_nanos, figures, name, spankind,
  status, latency, application, route, variant, revision, environment, user_id, session_id, run`;

export type FactRow = [
  traceId: string,
  id: string,
  parentId: string | null,
  start: number,
  startNanos: number,
  figures: string,
  name: string,
  kind: SpanKind,
  status: SpanStatus,
  latency: number | null,
  application: string | null,
  route: string | null,
  variant: string | null,
  revision: number | null,
  environment: string | null,
  userId: string | null,
  sessionId: string | null,
  run: string | null,
];

export function factsOf(row: Readonly<FactRow>): SpanFacts {
  return {
    traceId: row[0],
    id: row[1],
    parentId: row[2],
    start: row[3],
    startNanos: row[4],
    figures: figuresIn(row[5]),
    name: row[6],
    kind: row[7],
    status: row[8],
    latency: row[9],
    application: row[10],
    route: row[11],
    variant: row[12],
    revision: row[13],
    environment: row[14],
    userId: row[15],
    sessionId: row[16],
    run: row[17],
  };
}

/** Figures as they are written; nothing where there are none. */
export function figuresText(figures: SpanNode["figures"]): string {
  return figures === null ? "" : JSON.stringify(figuresTuple(figures));
}

export function figuresIn(text: string): SpanNode["figures"] {
  return text === "" ? null : figuresOf(JSON.parse(text) as FiguresTuple);
}

/** One write of a span. */
export interface SpanWrite<Span extends SpanFacts = SpanFacts> {
  /** The later write has the higher one. */
  readonly version: number;
  readonly receivedAt: number;
  readonly span: Span;
}

/** A span that is to be written, with its {@link incomingRow}. */
export interface IncomingSpan extends SpanWrite<StoredSpan> {
  readonly project: string;
  readonly row: readonly unknown[];
}

type OnUnindexable = (span: StoredSpan, error: unknown) => void;

export const INCOMING_COLUMNS: readonly NativeColumn[] = [
  { name: "project", type: "String" },
  { name: "trace_id", type: "String" },
  { name: "span_id", type: "String" },
  { name: "version", type: "UInt64" },
  { name: "received", type: "Int64" },
  { name: "parent_id", type: "Nullable(String)" },
  { name: "start", type: "Int64" },
  { name: "start_nanos", type: "UInt16" },
  { name: "figures", type: "String" },
  { name: "latency", type: "Nullable(Float64)" },
  { name: "name", type: "String" },
  { name: "spankind", type: "String" },
  { name: "status", type: "String" },
  { name: "application", type: "Nullable(String)" },
  { name: "route", type: "Nullable(String)" },
  { name: "variant", type: "Nullable(String)" },
  { name: "revision", type: "Nullable(Int64)" },
  { name: "environment", type: "Nullable(String)" },
  { name: "user_id", type: "Nullable(String)" },
  { name: "session_id", type: "Nullable(String)" },
  { name: "run", type: "Nullable(String)" },
  { name: "cost", type: "Nullable(Float64)" },
  { name: "words", type: "String" },
  { name: "record", type: "String" },
];

/**
 * Values in the order of {@link INCOMING_COLUMNS}.
 *
 * @param onUnindexable Told of a span whose text cannot be indexed: it is stored without its words.
 */
export function incomingRow(
  project: string,
  { receivedAt, version, span }: SpanWrite<StoredSpan>,
  onUnindexable: OnUnindexable,
): unknown[] {
  return [
    project,
    span.traceId,
    span.id,
    version,
    receivedAt,
    span.parentId,
    span.start,
    span.startNanos,
    figuresText(span.figures),
    span.latency,
    wellFormed(span.name),
    span.kind,
    span.status,
    wellFormed(span.application),
    wellFormed(span.route),
    wellFormed(span.variant),
    span.revision,
    wellFormed(span.environment),
    wellFormed(span.userId),
    wellFormed(span.sessionId),
    wellFormed(span.run),
    span.figures?.cost ?? null,
    wordsOrNone(span, onUnindexable),
    wellFormed(span.openRecord),
  ];
}

/** A lone surrogate is no valid UTF-8, so the database could not store it. */
export function wellFormed<Text extends string | null>(text: Text): Text {
  return (text === null ? null : text.toWellFormed()) as Text;
}

function wordsOrNone(span: StoredSpan, onUnindexable: OnUnindexable): string {
  try {
    return indexedWords(span.openRecord);
  } catch (error) {
    onUnindexable(span, error);
    return "";
  }
}

function indexedWords(openRecord: string): string {
  const record = JSON.parse(`${openRecord}null${AFTER_LISTED_TOTAL}`);
  return wellFormed(wordsText(searchableTexts(record)));
}
