import type { ListedSpan, Usage } from "@agate/protocol";
import { AGATE_ATTRIBUTES } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";

/** What a test wants to say of a span; the rest is filled in. */
export interface SpanSketch extends Partial<Omit<StoredSpan, "openRecord">> {
  readonly inputs?: unknown;
  readonly outputs?: unknown;
}

/** Microseconds since 1970 of the day that `start` counts from. */
export const EPOCH = Date.UTC(2026, 10, 1) * 1000;

/** A number as a trace id of 32 or a span id of 16 hex digits. */
export const traceIdOf = (n: number): string => n.toString(16).padStart(32, "0");
export const spanIdOf = (n: number): string => n.toString(16).padStart(16, "0");

export function usageOf(input: number, output: number): Usage {
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cached_input_tokens: null,
    reasoning_tokens: null,
  };
}

/** A span as ingest would hand it over. `start` counts microseconds from a fixed day. */
export function storedSpan(sketch: SpanSketch = {}): StoredSpan {
  const { inputs = null, outputs = null, ...given } = sketch;
  const span = {
    traceId: traceIdOf(1),
    id: spanIdOf(1),
    parentId: null,
    startNanos: 0,
    figures: null,
    name: "span",
    kind: "UNKNOWN",
    status: "UNSET",
    latency: 1,
    application: null,
    route: null,
    variant: null,
    revision: null,
    environment: null,
    userId: null,
    sessionId: null,
    run: null,
    ...given,
    start: EPOCH + (given.start ?? 0),
  } satisfies Omit<StoredSpan, "openRecord">;
  return { ...span, openRecord: openRecordOf(span, inputs, outputs) };
}

function openRecordOf(
  span: Omit<StoredSpan, "openRecord">,
  inputs: unknown,
  outputs: unknown,
): string {
  const iso = new Date(Math.floor(span.start / 1000)).toISOString().slice(0, -1);
  const micros = String(span.start % 1000).padStart(3, "0");
  const nanos = String(span.startNanos).padStart(3, "0");
  const record: ListedSpan = {
    id: span.id,
    name: span.name,
    project_id: null,
    parent_span_id: span.parentId,
    created_at: `${iso}${micros}Z`,
    variant: { variant_id: null, variant_name: span.variant, revision: span.revision },
    environment: span.environment,
    spankind: span.kind,
    status: span.status,
    trace_id: span.traceId,
    user_id: span.userId,
    content: { inputs, internals: null, outputs },
    config: null,
    metadata: {
      start_time: `${iso}${micros}${nanos}Z`,
      end_time: null,
      latency: span.latency,
      model: null,
      provider: null,
      usage: span.figures?.usage ?? null,
      cost: span.figures?.cost ?? null,
      session_id: span.sessionId,
      application: span.application,
      status_message: null,
      events: [],
      links: [],
      attributes: {
        ...(span.route !== null && { [AGATE_ATTRIBUTES.route]: span.route }),
        ...(span.run !== null && { [AGATE_ATTRIBUTES.evaluationRun]: span.run }),
      },
      resource: {},
      scope: null,
      otel: {},
      total: { usage: null, cost: null },
    },
  };
  const text = JSON.stringify(record);
  return text.slice(0, text.lastIndexOf('"total":') + '"total":'.length);
}
