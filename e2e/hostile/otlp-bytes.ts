import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";

// Requests in OTLP's protobuf, written by hand: exporters do not send what attackers do.

/** A field that holds bytes: a message, a string, an id. */
export function field(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** A span with a random id; `more` are further fields of it. */
export function span(traceId: Buffer, ...more: Buffer[]): Buffer {
  return field(
    2,
    Buffer.concat([
      field(1, traceId),
      field(2, randomBytes(8)),
      field(5, Buffer.from("s")),
      ...more,
    ]),
  );
}

/** A request of one resource and one scope. */
export function request(
  spans: readonly Uint8Array[],
  resource: Uint8Array = Buffer.alloc(0),
): Buffer {
  return field(1, Buffer.concat([field(1, resource), field(2, Buffer.concat(spans))]));
}

export interface Posted {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

export async function post(
  url: string,
  body: Uint8Array,
  { type = "application/x-protobuf", gzip = true } = {},
): Promise<Posted> {
  const response = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": type, ...(gzip && { "content-encoding": "gzip" }) },
    body: gzip ? gzipSync(body, { level: 9 }) : Buffer.from(body),
  });
  const retryAfter = response.headers.get("retry-after");
  return { status: response.status, retryAfter, body: await response.text() };
}
