import { AGATE_ATTRIBUTES } from "@agate/protocol";
import { quoted, valueText } from "../dialects/json-text.ts";
import type { Attributes, OtlpResource, OtlpScope, OtlpSpan } from "../otlp-span.ts";
import { createPriceLookup } from "../pricing/price-lookup.ts";
import type { PriceTable } from "../pricing/price-table.ts";
import { usageText } from "../span-tree/record-text.ts";
import { KeyTable } from "./key-table.ts";
import { type ResourceFields, resourceFields, scopeText } from "./resource-fields.ts";
import { isShown, type SpanFields, spanFields } from "./span-fields.ts";
import { SpanReading } from "./span-reading.ts";
import type { StoredSpan } from "./stored-span.ts";
import {
  eventsText,
  InstantWriter,
  isSet,
  latencyOf,
  linksText,
  nanosText,
  otelText,
} from "./telemetry-text.ts";

export interface SpanMapperOptions {
  readonly prices: PriceTable;
  /** The project that the spans are written to, as their records name it. */
  readonly projectId: string | null;
}

/** The program that has sent a span, as far as the platform knows it. */
export interface SpanSender {
  /** The number of the deployed build; absent for other programs. */
  readonly build?: number | undefined;
}

export type SpanMapper = (span: OtlpSpan, sender?: SpanSender) => StoredSpan;

/**
 * How to make a decoded span into what a store keeps. One mapper serves many spans: it remembers
 * what they share (resources, attribute names, prices).
 *
 * @example
 * const toStoredSpan = createSpanMapper({ prices, projectId: null });
 * const stored = request.spans.map((span) => toStoredSpan(span));
 */
export function createSpanMapper(options: SpanMapperOptions): SpanMapper {
  const priceOf = createPriceLookup(options.prices);
  const projectText = optional(options.projectId);
  const reading = new SpanReading(new KeyTable());
  const instants = new InstantWriter();
  const resources = new WeakMap<OtlpResource, ResourceFields>();
  const scopes = new WeakMap<OtlpScope, string>();

  return (span, { build } = {}) => {
    const resource = cached(resources, span.resource, resourceFields);
    const scope = cached(scopes, span.scope, scopeText);
    reading.read(span.attributes, span.parentSpanId === null);
    const fields = spanFields(span, reading, resource, priceOf);
    const { status, statusMessage } = fields;
    const name = textOf(span.attributes, LOGFIRE_MESSAGE) ?? span.name;
    const latency = latencyOf(span.start, span.end);
    const { draft } = reading;
    const isCancelled = span.attributes.get(AGATE_ATTRIBUTES.cancelled) === true;
    const isRedacted = span.attributes.get(AGATE_ATTRIBUTES.redacted) === true;

    const started = instants.openMicros(span.start);
    const { parentSpanId } = span;
    // Ids are hex: nothing in them needs escaping.
    let text = `{"id":"${span.spanId}","name":${quoted(name)},"project_id":${projectText}`;
    text += `,"parent_span_id":${parentSpanId === null ? "null" : `"${parentSpanId}"`}`;
    text += `,"created_at":"${started}Z","variant":${variantText(fields)}`;
    text += `,"environment":${optional(fields.environment)},"spankind":"${fields.kind}"`;
    text += `,"status":"${status}","trace_id":"${span.traceId}"`;
    text += `,"user_id":${optional(fields.userId)},"content":{"inputs":${draft.inputs}`;
    text += `,"internals":${draft.internals},"outputs":${draft.outputs}},"config":${fields.config}`;
    text += `,"metadata":{"start_time":"${started}${nanosText(span.start)}"`;
    text += `,"end_time":${isSet(span.end) ? `"${instants.nanos(span.end)}"` : "null"}`;
    text += `,"latency":${latency},"model":${optional(fields.model)}`;
    text += `,"provider":${optional(fields.provider)}`;
    text += `,"usage":${fields.usage === null ? "null" : usageText(fields.usage)}`;
    text += `,"cost":${fields.cost},"session_id":${optional(fields.sessionId)}`;
    text += `,"application":${optional(fields.application)}`;
    if (build !== undefined) text += `,"build":${build}`;
    text += `,"status_message":${optional(statusMessage)}`;
    if (isCancelled) text += ',"cancelled":true';
    if (isRedacted) text += ',"redacted":true';
    text += `,"events":${eventsText(span.events, instants)},"links":${linksText(span.links)}`;
    text += `,"attributes":${remainingText(span.attributes, fields, reading)}`;
    text += `,"resource":${resource.text},"scope":${scope},"otel":${otelText(span, name)},"total":`;

    return {
      id: span.spanId,
      parentId: span.parentSpanId,
      // Beyond that (the year 2255) not every store could read it back. The record has what was sent.
      start: Math.min(span.start.us, Number.MAX_SAFE_INTEGER),
      startNanos: span.start.nanos,
      figures: fields.figures,
      traceId: span.traceId,
      name,
      kind: fields.kind,
      status,
      latency,
      application: fields.application,
      route: textOf(span.attributes, AGATE_ATTRIBUTES.route),
      variant: fields.variantName ?? fields.variantId,
      revision: Number.isSafeInteger(fields.revision) ? fields.revision : null,
      environment: fields.environment,
      userId: fields.userId,
      sessionId: fields.sessionId,
      run: textOf(span.attributes, AGATE_ATTRIBUTES.evaluationRun),
      openRecord: text,
    };
  };
}

// Logfire names spans by templates, and shows this: the template filled in.
const LOGFIRE_MESSAGE = "logfire.msg";

// The record has it among the attributes.
function textOf(attributes: Attributes, name: string): string | null {
  const value = attributes.get(name);
  return typeof value === "string" && value !== "" ? value : null;
}

// Attributes that are shown as `metadata.cancelled` and `metadata.redacted`.
const MARKS: ReadonlySet<string> = new Set([AGATE_ATTRIBUTES.cancelled, AGATE_ATTRIBUTES.redacted]);

// Every attribute that no other field shows.
function remainingText(attributes: Attributes, fields: SpanFields, reading: SpanReading): string {
  let text = "";
  let index = 0;
  for (const value of attributes.values()) {
    const info = reading.infos[index++];
    if (info === undefined || isShown(info, value, fields, reading)) continue;
    if (value === true && MARKS.has(info.name)) continue;
    text += `${text === "" ? "{" : ","}${info.keyText}${valueText(value)}`;
  }
  return text === "" ? "{}" : `${text}}`;
}

function variantText({ variantId, variantName, revision }: SpanFields): string {
  return `{"variant_id":${optional(variantId)},"variant_name":${optional(variantName)},"revision":${revision}}`;
}

function optional(text: string | null): string {
  return text === null ? "null" : quoted(text);
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
