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
import type { EndedSpan } from "./ended-span.ts";
import type { Secrets } from "./secrets.ts";
import { type ReadSpan, SpanReader } from "./span-reader.ts";

/** On the top record, how many spans of the trace are not in it. */
const LEFT_OUT = "ag.trace.left_out_spans";
const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

/** Writes spans as the platform would: as records, nested. */
export class RecordWriter {
  readonly #toStoredSpan = createSpanMapper({ prices: shippedPrices(), projectId: null });
  readonly #resources = new WeakMap<object, OtlpResource>();
  readonly #scopes = new WeakMap<object, OtlpScope>();
  readonly #reader: SpanReader;

  constructor(secrets: Secrets) {
    this.#reader = new SpanReader(secrets);
  }

  /**
   * The JSON of the top record; `null` without spans. The last span says how many were left out.
   *
   * @param call The id of the span of the call that is meant; undefined for all that were collected.
   */
  write(collected: readonly EndedSpan[], call: string | undefined, leftOut: number): string {
    const spans = call === undefined ? collected : spansOfCall(collected, call);
    if (spans.length === 0) return "null";
    const last = spans.length - 1;
    const stored = spans.map((span, index) =>
      this.#toStoredSpan(this.#otlpSpan(this.#reader.read(span), index === last ? leftOut : 0)),
    );
    return nestedRecordsText(stored);
  }

  #otlpSpan(span: ReadSpan, leftOut: number): OtlpSpan {
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

/**
 * The spans of one call and of the calls made inside it. A trace may have other calls, made at the
 * same time with the same `traceparent`: theirs are left out.
 *
 * @param call The id of the call's own span.
 */
function spansOfCall(spans: readonly EndedSpan[], call: string): EndedSpan[] {
  const byId = new Map(spans.map((ended) => [ended.span.spanContext().spanId, ended]));
  const inside = new Map<string, boolean>([[call, true]]);

  const isInside = (start: string): boolean => {
    const passed: string[] = [];
    let current: string | undefined = start;
    while (current !== undefined && !inside.has(current) && !passed.includes(current)) {
      passed.push(current);
      current = callAround(byId, current, call);
    }
    const verdict = current !== undefined && inside.get(current) === true;
    for (const each of passed) inside.set(each, verdict);
    return verdict;
  };
  return spans.filter((ended) => ended.call !== undefined && isInside(ended.call));
}

/** The call that another call was made in; undefined when that is not known. */
function callAround(
  byId: ReadonlyMap<string, EndedSpan>,
  inner: string,
  outermost: string,
): string | undefined {
  const parent = parentIdOf(byId.get(inner));
  if (parent === undefined) return undefined;
  return parent === outermost ? outermost : byId.get(parent)?.call;
}

function parentIdOf(ended: EndedSpan | undefined): string | undefined {
  return ended?.span.parentSpanContext?.spanId ?? ended?.span.parentSpanId;
}

function otlpResource({ attributes, schemaUrl }: ReadSpan["resource"]): OtlpResource {
  return {
    attributes: attributesOf(attributes),
    schemaUrl: schemaUrl ?? "",
    droppedAttributesCount: 0,
  };
}

function otlpScope(scope: ReadSpan["instrumentationScope"]): OtlpScope {
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
