import { gzipSync } from "node:zlib";

/** A span as these tests send it: what they compare with what they read back. */
export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  /** Microseconds since 1970. */
  readonly start: number;
  readonly inputs: string;
  /** An attribute that no dialect knows. */
  readonly payload?: string;
}

/** From the start to the end of every such span, in microseconds. */
export const DURATION_US = 1500;

/**
 * Sends spans as OTLP/JSON; resolves with the status once they are acknowledged or refused.
 *
 * @throws when the connection breaks before that.
 */
export async function sendSpans(
  serverUrl: string,
  spans: readonly SentSpan[],
  compression: "none" | "gzip" = "none",
): Promise<number> {
  const json = otlpJson(spans);
  const response = await fetch(`${serverUrl}/v1/traces`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(compression === "gzip" ? { "content-encoding": "gzip" } : {}),
    },
    body: compression === "gzip" ? gzipSync(json) : json,
  });
  await response.body?.cancel();
  return response.status;
}

/** An ExportTraceServiceRequest in OTLP's JSON. */
export function otlpJson(spans: readonly SentSpan[]): string {
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: spans.map(otlpSpan) }] }] });
}

function otlpSpan({ traceId, spanId, parentSpanId, name, start, inputs, payload }: SentSpan) {
  const attributes = [{ key: "input.value", value: { stringValue: inputs } }];
  if (payload !== undefined) attributes.push({ key: "payload", value: { stringValue: payload } });
  return {
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name,
    kind: 1,
    startTimeUnixNano: `${start}000`,
    endTimeUnixNano: `${start + DURATION_US}000`,
    attributes,
    status: {},
  };
}
