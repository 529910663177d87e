import type { SpanContext } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { AnyReadableSpan } from "../ended-span.ts";

type Scope = ReadableSpan["instrumentationScope"];

const NO_SCOPE: Scope = Object.freeze({ name: "" });

/** Of any version's span. */
export function parentOf(span: AnyReadableSpan): SpanContext | undefined {
  if (span.parentSpanContext !== undefined) return span.parentSpanContext;
  if (span.parentSpanId === undefined) return undefined;
  return { ...span.spanContext(), spanId: span.parentSpanId };
}

/** Of any version's span: one object for the spans of a tracer. */
export function scopeOf(span: AnyReadableSpan): Scope {
  return span.instrumentationScope ?? span.instrumentationLibrary ?? NO_SCOPE;
}
