import { AGATE_ATTRIBUTES } from "@agate/protocol";
import { type Span, SpanStatusCode } from "@opentelemetry/api";
import type { Cancellation } from "../context/call-state.ts";
import { isCancellation } from "./is-cancellation.ts";
import { recordFailure } from "./record-failure.ts";
import type { Telemetry } from "./telemetry.ts";

/** One call that a span is open for. */
export interface TracedCall {
  readonly telemetry: Telemetry;
  readonly span: Span;
  /** Of the call of a route that it is part of. */
  readonly cancellation: Cancellation | undefined;
  /** Characters of JSON that are recorded of its output; 0 where none is. */
  readonly outputLimit: number;
  /** Is told that the consumer leaves a stream that has not ended. */
  onLeave?(): void;
  /** Is given what the call came to, before its span ends. */
  returned(value: unknown): void;
}

export function endOk({ span, returned }: TracedCall, value: unknown): void {
  returned(value);
  span.setStatus({ code: SpanStatusCode.OK });
  span.end();
}

/** Ends the span of a call that threw: as failed, or as cancelled where that is why it threw. */
export function endThrown({ telemetry, span, cancellation }: TracedCall, thrown: unknown): void {
  if (isCancellation(thrown, cancellation)) markCancelled(span);
  else recordFailure(telemetry, span, thrown);
  span.end();
}

/** Ends the span of a stream that was cancelled before its end. */
export function endCancelled({ span, returned }: TracedCall, partial: unknown): void {
  returned(partial);
  markCancelled(span);
  span.end();
}

/** Marks a span as cancelled, which is neither success nor failure: its status stays unset. */
export function markCancelled(span: Span): void {
  span.setAttribute(AGATE_ATTRIBUTES.cancelled, true);
}
