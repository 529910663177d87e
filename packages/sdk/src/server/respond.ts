import type { ErrorDetail } from "@agate/protocol";
import type { Span } from "@opentelemetry/api";
import { type Answer, jsonAnswer } from "./answer.ts";
import type { CallError } from "./call-error.ts";

/** Names the call's span for whoever wants to go on in the same trace. */
export function traceparent(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** The JSON of a call's answer. `trace` is there on playground endpoints. */
export function answerText(span: Span, data: string, trace: string | null): string {
  return `{"data":${data},${answerEnd(span, trace)}`;
}

/** What follows the data in an answer, and stands alone in the `done` event of a stream. */
export function answerEnd(span: Span, trace: string | null): string {
  const { traceId, spanId } = span.spanContext();
  const ids = `"trace_id":"${traceId}","span_id":"${spanId}"`;
  return trace === null ? `${ids}}` : `${ids},"trace":${trace}}`;
}

/** The JSON of an error, with the call's span where there is one. */
export function errorText(error: CallError, span?: Span, trace?: string | null): string {
  const detail: readonly ErrorDetail[] = error.detail;
  const context = span?.spanContext();
  const text = JSON.stringify({
    detail,
    ...(context && { trace_id: context.traceId, span_id: context.spanId }),
    ...(error.stack !== undefined && { stack: error.stack }),
  });
  return trace ? `${text.slice(0, -1)},"trace":${trace}}` : text;
}

/** An error that belongs to no call. */
export function refusal(error: CallError): Answer {
  return jsonAnswer(error.status, errorText(error), error.headers);
}
