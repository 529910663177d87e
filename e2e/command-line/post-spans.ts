/** A span as these tests send it, its times from now on. */
export interface PostedSpan {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Status ERROR, with this message. */
  readonly error?: string;
}

/** Sends the spans of one trace as OTLP/JSON, and waits until they are kept. */
export async function postSpans(
  serverUrl: string,
  traceId: string,
  spans: readonly PostedSpan[],
): Promise<void> {
  const begin = Date.now() - 1000;
  const sent = spans.map(({ spanId, parentSpanId, name, startMs, endMs, attributes, error }) => ({
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind: 1,
    startTimeUnixNano: `${begin + startMs}000000`,
    endTimeUnixNano: `${begin + endMs}000000`,
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
    })),
    status: error === undefined ? {} : { code: 2, message: error },
  }));
  const response = await fetch(`${serverUrl}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: sent }] }] }),
  });
  if (!response.ok) throw new Error(`The spans were not taken: ${await response.text()}`);
}
