// Tags: field number times eight, plus wire type.
const PARTIAL_SUCCESS = (1 << 3) | 2;
/** `rejected_spans`, `rejected_log_records` or `rejected_data_points`. */
const REJECTED = (1 << 3) | 0;
const ERROR_MESSAGE = (2 << 3) | 2;

type Signal = "traces" | "logs" | "metrics";

const REJECTED_FIELD: Record<Signal, string> = {
  traces: "rejectedSpans",
  logs: "rejectedLogRecords",
  metrics: "rejectedDataPoints",
};

/**
 * Encodes the response to an export of any signal. A full success has no fields: no bytes at all in protobuf,
 * an empty object in JSON. A reason without a rejected span is a warning, as OTLP has it. The bytes
 * have memory of their own, fit to be handed to another thread.
 */
export function encodeExportResponse(
  encoding: "protobuf" | "json",
  rejected: number,
  reason: string,
  signal: Signal = "traces",
): Uint8Array<ArrayBuffer> {
  switch (encoding) {
    case "json":
      return new TextEncoder().encode(JSON.stringify(toJson(rejected, reason, signal)));
    case "protobuf":
      return isFullSuccess(rejected, reason) ? new Uint8Array() : toProtobuf(rejected, reason);
  }
}

function isFullSuccess(rejected: number, reason: string): boolean {
  return rejected === 0 && reason === "";
}

function toJson(rejected: number, reason: string, signal: Signal): object {
  if (isFullSuccess(rejected, reason)) return {};
  // Proto3's JSON form has 64-bit integers as strings.
  return { partialSuccess: { [REJECTED_FIELD[signal]]: String(rejected), errorMessage: reason } };
}

function toProtobuf(rejected: number, reason: string): Uint8Array<ArrayBuffer> {
  const message = new TextEncoder().encode(reason);
  const head = [REJECTED, ...varint(rejected), ERROR_MESSAGE, ...varint(message.length)];
  const length = varint(head.length + message.length);
  return Uint8Array.from([PARTIAL_SUCCESS, ...length, ...head, ...message]);
}

/** A number as protobuf writes it. */
export function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return bytes;
}
