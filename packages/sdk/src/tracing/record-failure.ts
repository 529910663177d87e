import { type Span, SpanStatusCode } from "@opentelemetry/api";
import { describeThrown } from "./describe-thrown.ts";
import type { Telemetry } from "./telemetry.ts";

/** Records what was thrown as an exception, and the span as failed. Never throws. */
export function recordFailure(telemetry: Telemetry, span: Span, thrown: unknown): void {
  try {
    const description = describeThrown(thrown);
    span.recordException(description);
    span.setStatus({ code: SpanStatusCode.ERROR, message: description.message });
  } catch (error) {
    telemetry.fault(error);
  }
}
