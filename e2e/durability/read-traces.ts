import type { SpanRecord } from "@agate/protocol";
import { expect } from "vitest";
import { DURATION_US, type SentSpan } from "../sent-span.ts";
import type { TraceState } from "./trace-ledger.ts";

/** What is compared of a span, sent or read: everything that the ledger's clients send. */
export interface SeenSpan {
  readonly id: string;
  readonly traceId: string;
  readonly parent: string | null;
  readonly name: string;
  readonly inputs: unknown;
  readonly attributes: unknown;
  readonly start: string;
  readonly end: string | null;
}

const CONNECTIONS = 6;

/** Trace id → its spans by id; null when there is no such trace. */
export type SeenTraces = Record<string, SeenSpan[] | null>;

/** Reads traces, several at a time. Their nesting must follow the parents. */
export async function readTraces(
  serverUrl: string,
  traceIds: Iterable<string>,
): Promise<SeenTraces> {
  const rest = [...new Set(traceIds)];
  const found: SeenTraces = {};
  const readSome = async () => {
    for (let id = rest.pop(); id !== undefined; id = rest.pop()) {
      found[id] = await readTrace(serverUrl, id);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, readSome));
  return found;
}

/** What {@link readTraces} gives for traces in these states. */
export function expectedTraces(states: Iterable<readonly [string, TraceState]>): SeenTraces {
  return Object.fromEntries([...states].map(([id, state]) => [id, expectedTrace(state)]));
}

async function readTrace(serverUrl: string, traceId: string): Promise<SeenSpan[] | null> {
  const response = await fetch(`${serverUrl}/observability/traces/${traceId}/`);
  if (response.status === 404) {
    await response.body?.cancel();
    return null;
  }
  expect(response.status).toBe(200);
  return flatten((await response.json()) as SpanRecord);
}

function flatten(top: SpanRecord): SeenSpan[] {
  const seen: SeenSpan[] = [];
  const rest: [span: SpanRecord, under: string | null][] = [[top, null]];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const [span, under] = next;
    expect(span.parent_span_id, `the parent of ${span.id}, against its place`).toBe(under);
    seen.push(seenSpan(span));
    let before = "";
    for (const child of span.children ?? []) {
      expect(child.created_at >= before, `${child.id} is in the order of start`).toBe(true);
      before = child.created_at;
      rest.push([child, span.id]);
    }
  }
  return seen.sort(byId);
}

/** What is compared of a record. */
export function seenSpan(span: Omit<SpanRecord, "children">): SeenSpan {
  return {
    id: span.id,
    traceId: span.trace_id,
    parent: span.parent_span_id,
    name: span.name,
    inputs: (span.content as { inputs?: unknown }).inputs,
    attributes: span.metadata.attributes,
    start: span.metadata.start_time,
    end: span.metadata.end_time,
  };
}

function expectedTrace(state: TraceState): SeenSpan[] | null {
  return state.size === 0 ? null : expectedSpans(state.values());
}

/** What is read of spans that were sent, by id. */
export function expectedSpans(spans: Iterable<SentSpan>): SeenSpan[] {
  const seen = [...spans].map((span) => ({
    id: span.spanId,
    traceId: span.traceId,
    parent: span.parentSpanId,
    name: span.name,
    inputs: span.inputs,
    attributes: span.payload === undefined ? {} : { payload: span.payload },
    start: isoMicros(span.start),
    end: isoMicros(span.start + DURATION_US),
  }));
  return seen.sort(byId);
}

function byId(a: SeenSpan, b: SeenSpan): number {
  return a.id < b.id ? -1 : 1;
}

function isoMicros(time: number): string {
  const micros = String(time % 1000).padStart(3, "0");
  return new Date(Math.floor(time / 1000)).toISOString().replace("Z", `${micros}000Z`);
}

/** Every record of a list, page after page. */
export async function readList(
  serverUrl: string,
  kind: "traces" | "spans",
  query: Record<string, string> = {},
): Promise<SpanRecord[]> {
  const records: SpanRecord[] = [];
  let cursor: string | null = null;
  do {
    const parameters = new URLSearchParams({ limit: "1000", content: "full", ...query });
    if (cursor !== null) parameters.set("cursor", cursor);
    const response = await fetch(`${serverUrl}/observability/${kind}/?${parameters}`);
    expect(response.status).toBe(200);
    const page = (await response.json()) as { items: SpanRecord[]; next_cursor: string | null };
    records.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return records;
}
