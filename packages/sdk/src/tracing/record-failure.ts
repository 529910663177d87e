import { type Span, SpanStatusCode } from "@opentelemetry/api";
import { messageOf } from "./message-of.ts";
import type { Telemetry } from "./telemetry.ts";

/** Records what was thrown as an exception, and the span as failed. Never throws. */
export function recordFailure(telemetry: Telemetry, span: Span, thrown: unknown): void {
  try {
    const message = messageOf(thrown);
    span.recordException(thrown instanceof Error ? thrown : message);
    span.setStatus({ code: SpanStatusCode.ERROR, message });
  } catch (error) {
    telemetry.fault(error);
  }
}
