import type { ErrorDetail } from "@agate/protocol";
import type { Span } from "@opentelemetry/api";
import type { CallError } from "./call-error.ts";

/** The method by which an app answers. */
export const ANSWER: unique symbol = Symbol.for("agate.sdk.answer");

/** An answer, before it becomes a `Response` or is written to Node's. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | EventSource;
  /** True where the app has no such path: the framework around it may. */
  readonly isUnserved?: true;
}

/** The events of a streamed answer. */
export interface EventSource {
  readonly events: AsyncGenerator<string, void, void>;
  /** The client went away: ends what the events are made from, even if it hangs. */
  abandon(): void;
}

export function jsonAnswer(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: text };
}

/** An answer as a web response. The next event is only asked for when the client has room for it. */
export function toResponse({ status, headers, body }: Answer): Response {
  if (typeof body !== "string") return new Response(eventStream(body), { status, headers });
  // Not even an empty text is allowed with a 204.
  return new Response(body === "" ? null : body, { status, headers });
}

function eventStream({ events, abandon }: EventSource): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await events.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      // First, for a generator that waits for its source only returns once that wait is over.
      abandon();
      await events.return();
    },
  });
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
