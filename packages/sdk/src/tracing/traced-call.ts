import { type Span, SpanStatusCode } from "@opentelemetry/api";
import { recordFailure } from "./record-failure.ts";
import type { Telemetry } from "./telemetry.ts";

/** One call that a span is open for. */
export interface TracedCall {
  readonly telemetry: Telemetry;
  readonly span: Span;
  /** Is given what the call came to, before its span ends. */
  returned(value: unknown): void;
}

export function endOk({ span, returned }: TracedCall, value: unknown): void {
  returned(value);
  span.setStatus({ code: SpanStatusCode.OK });
  span.end();
}

export function endFailed({ telemetry, span }: TracedCall, thrown: unknown): void {
  recordFailure(telemetry, span, thrown);
  span.end();
}
