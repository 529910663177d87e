import type { SpanRecord } from "@agate/protocol";
import { expect } from "vitest";
import type { TraceState } from "./trace-ledger.ts";

/** What is compared of a span, sent or read. */
export interface SeenSpan {
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  readonly inputs: unknown;
  readonly start: string;
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
    seen.push({
      id: span.id,
      parent: under,
      name: span.name,
      inputs: (span.content as { inputs?: unknown }).inputs,
      start: span.created_at,
    });
    for (const child of span.children ?? []) rest.push([child, span.id]);
  }
  return seen.sort((a, b) => (a.id < b.id ? -1 : 1));
}

function expectedTrace(state: TraceState): SeenSpan[] | null {
  if (state.size === 0) return null;
  const spans = [...state.values()].map((span) => ({
    id: span.spanId,
    parent: span.parentSpanId,
    name: span.name,
    inputs: span.inputs,
    start: new Date(span.start / 1000).toISOString().replace("Z", `${micros(span.start)}Z`),
  }));
  return spans.sort((a, b) => (a.id < b.id ? -1 : 1));
}

function micros(start: number): string {
  return String(start % 1000).padStart(3, "0");
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
    const parameters = new URLSearchParams({ limit: "1000", ...query });
    if (cursor !== null) parameters.set("cursor", cursor);
    const response = await fetch(`${serverUrl}/observability/${kind}/?${parameters}`);
    expect(response.status).toBe(200);
    const page = (await response.json()) as { items: SpanRecord[]; next_cursor: string | null };
    records.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return records;
}
