import {
  type Attributes,
  type AttributeValue,
  createSpanMapper,
  type Instant,
  nestedRecordsText,
  type OtlpResource,
  type OtlpScope,
  type OtlpSpan,
} from "@agate/spans";
import { shippedPrices } from "@agate/spans/prices";
import type { HrTime, SpanContext } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";

/** On the top record, how many spans of the trace are not in it. */
const LEFT_OUT = "ag.trace.left_out_spans";
const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

/** Writes spans as the platform would: as records, nested. */
export class RecordWriter {
  readonly #toStoredSpan = createSpanMapper({ prices: shippedPrices(), projectId: null });
  readonly #resources = new WeakMap<object, OtlpResource>();
  readonly #scopes = new WeakMap<object, OtlpScope>();

  /** The JSON of the top record; `null` without spans. The last span says how many were left out. */
  write(spans: readonly ReadableSpan[], leftOut: number): string {
    if (spans.length === 0) return "null";
    const last = spans.length - 1;
    const stored = spans.map((span, index) =>
      this.#toStoredSpan(this.#otlpSpan(span, index === last ? leftOut : 0)),
    );
    return nestedRecordsText(stored);
  }

  #otlpSpan(span: ReadableSpan, leftOut: number): OtlpSpan {
    const { traceId, spanId, traceState } = span.spanContext();
    const attributes = attributesOf(span.attributes);
    if (leftOut > 0) attributes.set(LEFT_OUT, leftOut);
    return {
      traceId,
      spanId,
      parentSpanId: span.parentSpanContext?.spanId ?? null,
      traceState: traceState?.serialize() ?? "",
      flags: flagsOf(span.spanContext(), span.parentSpanContext?.isRemote),
      name: span.name,
      // OTLP counts from 1; 0 is "unspecified".
      kind: span.kind + 1,
      start: instantOf(span.startTime),
      end: instantOf(span.endTime),
      attributes,
      events: span.events.map((event) => ({
        name: event.name,
        time: instantOf(event.time),
        attributes: attributesOf(event.attributes),
        droppedAttributesCount: event.droppedAttributesCount ?? 0,
      })),
      links: span.links.map((link) => ({
        traceId: link.context.traceId,
        spanId: link.context.spanId,
        traceState: link.context.traceState?.serialize() ?? "",
        attributes: attributesOf(link.attributes),
        flags: flagsOf(link.context, link.context.isRemote),
        droppedAttributesCount: link.droppedAttributesCount ?? 0,
      })),
      statusCode: span.status.code,
      statusMessage: span.status.message ?? "",
      droppedAttributesCount: span.droppedAttributesCount,
      droppedEventsCount: span.droppedEventsCount,
      droppedLinksCount: span.droppedLinksCount,
      resource: cached(this.#resources, span.resource, otlpResource),
      scope: cached(this.#scopes, span.instrumentationScope, otlpScope),
    };
  }
}

function otlpResource({ attributes, schemaUrl }: ReadableSpan["resource"]): OtlpResource {
  return {
    attributes: attributesOf(attributes),
    schemaUrl: schemaUrl ?? "",
    droppedAttributesCount: 0,
  };
}

function otlpScope(scope: ReadableSpan["instrumentationScope"]): OtlpScope {
  const { name, version, schemaUrl } = scope;
  return {
    name,
    version: version ?? "",
    attributes: new Map(),
    schemaUrl: schemaUrl ?? "",
    droppedAttributesCount: 0,
  };
}

function attributesOf(attributes: object | undefined): Map<string, AttributeValue> {
  const entries = Object.entries(attributes ?? {});
  return new Map(entries.map(([key, value]) => [key, attributeValue(value)]));
}

function attributeValue(value: unknown): AttributeValue {
  switch (typeof value) {
    case "string":
    case "number":
    case "bigint":
    case "boolean":
      return value;
    case "object":
      if (value === null || value instanceof Uint8Array) return value;
      if (Array.isArray(value)) return value.map(attributeValue);
      return attributesOf(value) satisfies Attributes;
    default:
      return null;
  }
}

function instantOf([seconds, nanos]: HrTime): Instant {
  return { us: seconds * 1_000_000 + Math.floor(nanos / 1_000), nanos: Math.floor(nanos % 1_000) };
}

// As OTLP has them, which the platform shows.
function flagsOf({ traceFlags }: SpanContext, isRemote: boolean | undefined): number {
  return (traceFlags & 0xff) | HAS_IS_REMOTE | (isRemote ? IS_REMOTE : 0);
}

function cached<Key extends WeakKey, Value>(
  cache: WeakMap<Key, Value>,
  key: Key,
  read: (key: Key) => Value,
): Value {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const value = read(key);
  cache.set(key, value);
  return value;
}
