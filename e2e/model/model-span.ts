import type { SpanKind, SpanStatus } from "@agate/protocol";

/** Tokens and cost that a span reports. */
export interface ModelFigures {
  /** `own` is sent as `ag.usage.*`, `restated` in the names of OpenTelemetry GenAI. */
  readonly role: "own" | "restated";
  readonly input: number;
  readonly output: number;
  readonly cost: number | null;
}

/** A span as the model keeps it and as it is sent. Times are nanoseconds since 1970. */
export interface ModelSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly start: bigint;
  /** Null: it has not ended. */
  readonly end: bigint | null;
  readonly status: SpanStatus;
  readonly kind: SpanKind | null;
  readonly application: string | null;
  readonly route: string | null;
  readonly variant: { readonly id: string; readonly name: string | null } | null;
  readonly revision: number | null;
  readonly environment: string | null;
  readonly userId: string | null;
  readonly sessionId: string | null;
  /** The evaluation run that the span names. */
  readonly run: string | null;
  /** JSON values. */
  readonly inputs: unknown;
  readonly outputs: unknown;
  readonly figures: ModelFigures | null;
  /** The call that an `LLM` span with figures of its own reports; several spans may report the same. */
  readonly call: { readonly provider: string; readonly responseId: string } | null;
  /** An attribute that no dialect knows. */
  readonly payload: string | null;
}

/** By start time to the nanosecond, then by id. */
export function compareSpans(a: ModelSpan, b: ModelSpan): number {
  if (a.start !== b.start) return a.start < b.start ? -1 : 1;
  return a.spanId < b.spanId ? -1 : a.spanId > b.spanId ? 1 : 0;
}

/** An ExportTraceServiceRequest in OTLP's JSON. */
export function otlpRequest(spans: readonly ModelSpan[]): string {
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: spans.map(otlpSpan) }] }] });
}

function otlpSpan(span: ModelSpan) {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId !== null && { parentSpanId: span.parentId }),
    name: span.name,
    startTimeUnixNano: String(span.start),
    ...(span.end !== null && { endTimeUnixNano: String(span.end) }),
    attributes: Object.entries(attributesOf(span)).flatMap(([key, value]) =>
      value === null ? [] : [{ key, value: anyValue(value) }],
    ),
    status: { code: ["UNSET", "OK", "ERROR"].indexOf(span.status) },
  };
}

function attributesOf(span: ModelSpan): Record<string, string | number | null> {
  return {
    "ag.span.kind": span.kind,
    "ag.application": span.application,
    "ag.route": span.route,
    "ag.variant.id": span.variant?.id ?? null,
    "ag.variant.name": span.variant?.name ?? null,
    "ag.variant.revision": span.revision,
    "ag.environment": span.environment,
    "user.id": span.userId,
    "session.id": span.sessionId,
    "ag.evaluation.run": span.run,
    "ag.content.inputs": contentText(span.inputs),
    "ag.content.outputs": contentText(span.outputs),
    ...figureAttributes(span.figures),
    "gen_ai.provider.name": span.call?.provider ?? null,
    "gen_ai.response.id": span.call?.responseId ?? null,
    payload: span.payload,
  };
}

function contentText(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function figureAttributes(figures: ModelFigures | null): Record<string, number | null> {
  if (figures === null) return {};
  const { role, input, output, cost } = figures;
  return role === "own"
    ? { "ag.usage.input_tokens": input, "ag.usage.output_tokens": output, "ag.cost": cost }
    : {
        "gen_ai.usage.input_tokens": input,
        "gen_ai.usage.output_tokens": output,
        "gen_ai.usage.cost": cost,
      };
}

function anyValue(value: string | number) {
  if (typeof value === "string") return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
