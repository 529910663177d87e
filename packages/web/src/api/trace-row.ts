import type { ListedSpan, SpanKind, SpanStatus, Usage } from "@agate/protocol";
import { AGATE_ATTRIBUTES } from "@agate/protocol";
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
const DEEPEST = 4;

/**
 * The beginning of a recorded value on one line, for people: of a conversation the last message, of
 * an object with a single field that field. However large the value is, little of it is read.
 *
 * @example previewOf({ question: "What is agate?" }) // "What is agate?"
 */
export function previewOf(value: unknown): string {
  const line = new Line();
  write(line, value, 0);
  return line.text();
}

class Line {
  #text = "";

  get isFull(): boolean {
    return this.#text.length > LONGEST;
  }

  add(text: string): void {
    if (!this.isFull) this.#text += text.slice(0, 4 * LONGEST).replaceAll(/\s+/g, " ");
  }

  text(): string {
    const text = this.#text.trim();
    return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  }
}

function write(line: Line, value: unknown, depth: number): void {
  if (line.isFull || value === null || value === undefined) return;
  const message = lastMessage(Array.isArray(value) ? value : fieldOf(value, "messages"));
  if (typeof value !== "object") line.add(String(value));
  else if (message !== undefined) write(line, message, depth);
  else if (depth > DEEPEST) line.add("…");
  else if (Array.isArray(value)) writeAll(line, value, depth);
  else writeFields(line, Object.entries(value), depth);
}

function writeFields(line: Line, all: readonly [string, unknown][], depth: number): void {
  const fields = all.filter(([, value]) => value !== null);
  for (const [n, [name, value]] of fields.entries()) {
    if (line.isFull) return;
    if (fields.length > 1) line.add(`${n === 0 ? "" : ", "}${name}: `);
    write(line, value, depth + 1);
  }
}

function writeAll(line: Line, values: readonly unknown[], depth: number): void {
  for (const [n, each] of values.entries()) {
    if (line.isFull) return;
    if (n > 0) line.add(", ");
    write(line, each, depth + 1);
  }
}

/** The content of the last chat message that has any: text, or parts with a text. */
function lastMessage(value: unknown): unknown {
  if (!Array.isArray(value)) return undefined;
  const last = value.findLast((each) => isMessage(each) && saysSomething(contentOf(each)));
  return last === undefined ? undefined : contentOf(last);
}

function isMessage(value: unknown): boolean {
  return typeof fieldOf(value, "role") === "string";
}

function contentOf(message: unknown): unknown {
  const content = fieldOf(message, "content") ?? fieldOf(message, "parts");
  if (!Array.isArray(content)) return content;
  const texts = content.map((part) => fieldOf(part, "text") ?? fieldOf(part, "content"));
  return texts.filter((text) => typeof text === "string").join(" ");
}

function saysSomething(content: unknown): boolean {
  return content !== undefined && content !== null && content !== "";
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
