import { type Context, isSpanContextValid, type SpanContext, trace } from "@opentelemetry/api";
import { isTracingSuppressed } from "@opentelemetry/core";
import { TraceState } from "./trace-state.ts";

// A later version than 00 may have more parts.
const TRACEPARENT =
  /^\s?(?:(00)|(?!ff)[\da-f]{2})-((?!0{32})[\da-f]{32})-((?!0{16})[\da-f]{16})-([\da-f]{2})(-.*)?\s?$/;

/**
 * The context of a request, with the span that its headers name: W3C Trace Context. OpenTelemetry's
 * propagator reads them alike, at twice the bytes.
 */
export function contextFromHeaders(outer: Context, headers: Pick<Headers, "get">): Context {
  const [, version, traceId, spanId, flags, more] =
    TRACEPARENT.exec(headers.get("traceparent") ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return outer;
  if (version === "00" && more !== undefined) return outer;
  const state = headers.get("tracestate");
  return trace.setSpanContext(outer, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(state && { traceState: TraceState.of(state) }),
  });
}

/** The headers by which a request from this context continues its trace. */
export function headersOf(context: Context): { traceparent?: string; tracestate?: string } {
  const span = trace.getSpanContext(context);
  if (span === undefined || !isSpanContextValid(span) || isTracingSuppressed(context)) return {};
  const tracestate = span.traceState?.serialize();
  return { traceparent: traceparent(span), ...(tracestate !== undefined && { tracestate }) };
}

/** The W3C header that lets its reader continue the trace below a span. */
export function traceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}
