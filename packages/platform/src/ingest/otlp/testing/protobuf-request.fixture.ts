import { message, type ProtobufWriter } from "./protobuf-writer.fixture.ts";

export const TRACE_ID = new Uint8Array(16).fill(0xab);
export const SPAN_ID = new Uint8Array(8).fill(0xcd);

/** A request with one span of valid ids, extended by `write`. */
export function spanRequest(write: (span: ProtobufWriter) => void = () => {}): ProtobufWriter {
  return requestOf(
    message((span) => {
      span.bytes(1, TRACE_ID).bytes(2, SPAN_ID);
      write(span);
    }),
  );
}

/** A request with these spans, in one scope of one resource. */
export function requestOf(...spans: ProtobufWriter[]): ProtobufWriter {
  const scopeSpans = message((writer) => {
    for (const span of spans) writer.bytes(2, span);
  });
  return message((request) =>
    request.bytes(
      1,
      message((writer) => writer.bytes(2, scopeSpans)),
    ),
  );
}

export function spanWithIds(traceId: Uint8Array, spanId: Uint8Array, parent?: Uint8Array) {
  return message((span) => {
    span.bytes(1, traceId).bytes(2, spanId);
    if (parent !== undefined) span.bytes(4, parent);
  });
}

/** An attribute `a` whose AnyValue is written by `write`. */
export function attribute(write: (value: ProtobufWriter) => void): ProtobufWriter {
  return message((keyValue) => keyValue.bytes(1, "a").bytes(2, message(write)));
}
