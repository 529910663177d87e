/** What an attribute may be here. */
export type AttributeValue = string | number | boolean;
export type Attributes = Readonly<Record<string, AttributeValue>>;

export interface OtlpEvent {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly attributes?: Attributes;
}

/** A span as tests send it: everything that OTLP can say of one. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly attributes?: Attributes;
  readonly events?: readonly OtlpEvent[];
  readonly links?: readonly {
    readonly traceId: string;
    readonly spanId: string;
    readonly attributes?: Attributes;
  }[];
  readonly status?: { readonly code: 0 | 1 | 2; readonly message?: string };
  readonly traceState?: string;
}

export interface OtlpSource {
  /** The slug of the project that they are for, where it is another than that of everybody. */
  readonly project?: string;
  readonly resource?: Attributes;
  readonly scope?: {
    readonly name: string;
    readonly version?: string;
    readonly attributes?: Attributes;
  };
}

/**
 * Sends spans to a platform as OTLP/JSON, and waits until they are on its disk.
 *
 * @throws when it takes fewer than all of them.
 */
export async function sendOtlp(
  url: string,
  spans: readonly OtlpSpan[],
  { project, resource = {}, scope }: OtlpSource = {},
): Promise<void> {
  const body = {
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [
          {
            ...(scope && { scope: { ...scope, attributes: keyValues(scope.attributes ?? {}) } }),
            spans: spans.map(spanObject),
          },
        ],
      },
    ],
  };
  const response = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(project !== undefined && { "agate-project": project }),
    },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  if (response.status !== 200 || answer.includes("rejectedSpans")) {
    throw new Error(`The platform did not take the spans: ${response.status} ${answer}`);
  }
}

function spanObject({ start, end, attributes = {}, events = [], links = [], ...span }: OtlpSpan) {
  return {
    ...span,
    kind: 1,
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(end),
    attributes: keyValues(attributes),
    events: events.map((event) => ({
      name: event.name,
      timeUnixNano: nanoseconds(event.time),
      attributes: keyValues(event.attributes ?? {}),
    })),
    links: links.map((link) => ({ ...link, attributes: keyValues(link.attributes ?? {}) })),
  };
}

function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1000)}000`;
}

function keyValues(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: AttributeValue) {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
