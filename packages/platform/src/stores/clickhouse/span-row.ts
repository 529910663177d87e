import type { SpanKind, SpanStatus } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import type { SpanNode } from "@agate/spans/tree";
import type { FiguresTuple } from "../segments/entry-tuple.ts";
import { figuresOf, figuresTuple } from "../segments/entry-tuple.ts";

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

/** A lone surrogate is no valid UTF-8, so the database could not store it. */
export function wellFormed<Text extends string | null>(text: Text): Text {
  return (text === null ? null : text.toWellFormed()) as Text;
}
