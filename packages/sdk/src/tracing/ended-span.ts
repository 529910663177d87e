import type { Attributes, HrTime, SpanContext, SpanStatus } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { TelemetryResource } from "./telemetry-resource.ts";

/** A span as any version of OpenTelemetry's SDK gives it to its processors. */
export interface AnyReadableSpan extends Partial<Omit<ReadableSpan, "spanContext" | "resource">> {
  readonly name: string;
  spanContext(): SpanContext;
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly attributes: Attributes;
  readonly status: SpanStatus;
  readonly resource?: TelemetryResource;
  /** Version 1 has the parent's id alone. */
  readonly parentSpanId?: string;
  /** Version 1's name of the scope. */
  readonly instrumentationLibrary?: ReadableSpan["instrumentationScope"];
}

/** A span that has ended and waits to be written. */
export interface EndedSpan {
  /** Immutable from now on. */
  readonly span: AnyReadableSpan;
  /** What is written beside its own attributes. */
  readonly added: Attributes;
  /** The id of the outermost span of Agate's that it lies in: of the call. */
  readonly call: string | undefined;
}

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
