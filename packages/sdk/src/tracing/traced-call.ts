import { AGATE_ATTRIBUTES } from "@agate/protocol";
import { type Span, SpanStatusCode } from "@opentelemetry/api";
import type { Cancellation } from "../context/call-state.ts";
import { describeThrown } from "./describe-thrown.ts";
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

/** How libraries name the error that an aborted signal makes: DOM and Node, Next.js, axios. */
const NAMES: readonly unknown[] = ["AbortError", "ResponseAborted", "CanceledError"];
/** Of the clients of OpenAI and Anthropic, whose errors have no `name` of their own. */
const CLASSES: readonly unknown[] = ["APIUserAbortError"];
const CODES: readonly unknown[] = ["ABORT_ERR", "ERR_CANCELED"];
/** A library may wrap the error of the one below it. */
const MOST_CAUSES = 8;

/**
 * Whether a function threw only because its call was cancelled. Another error, also after the
 * cancellation, is a failure.
 */
export function isCancellation(thrown: unknown, cancellation: Cancellation | undefined): boolean {
  if (!cancellation?.isCancelled) return false;
  const { aborted, reason } = cancellation.signal;
  try {
    let error = thrown;
    for (let depth = 0; depth < MOST_CAUSES; depth += 1) {
      if ((aborted && error === reason) || isAbortError(error)) return true;
      if (!(error instanceof Error) || error.cause === undefined) return false;
      error = error.cause;
    }
    return false;
  } catch {
    // A proxy or a getter that throws is no abort error of a library.
    return false;
  }
}

function isAbortError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { readonly code?: unknown };
  return (
    NAMES.includes(error.name) || CODES.includes(code) || CLASSES.includes(error.constructor.name)
  );
}
