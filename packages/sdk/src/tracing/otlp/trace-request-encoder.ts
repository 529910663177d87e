import type { Attributes, Link, SpanContext, SpanStatus } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { EndedSpan } from "../ended-span.ts";
import { parentOf, scopeOf } from "../ended-span.ts";
import type { Secrets } from "../secrets.ts";
import type { TelemetryResource } from "../telemetry-resource.ts";
import { OtlpWriter } from "./otlp-writer.ts";

/** Some versions of OpenTelemetry's SDK have more in it than the type of ours. */
interface Scope {
  readonly name: string;
  readonly version?: string;
  readonly schemaUrl?: string;
  readonly attributes?: Attributes;
  readonly droppedAttributesCount?: number;
}

const REQUEST = { resourceSpans: 1 };
const RESOURCE_SPANS = { resource: 1, scopeSpans: 2, schemaUrl: 3 };
const RESOURCE = { attributes: 1 };
const SCOPE_SPANS = { scope: 1, spans: 2, schemaUrl: 3 };
const SCOPE = { name: 1, version: 2, attributes: 3, droppedAttributes: 4 };

/** Encodes ended spans as OTLP's ExportTraceServiceRequest, complete and without secrets. */
export class TraceRequestEncoder {
  readonly #writer: OtlpWriter;

  constructor(secrets: Secrets) {
    this.#writer = new OtlpWriter(secrets);
  }

  /** Throws where one of the spans cannot be read. */
  encode(spans: readonly EndedSpan[]): Uint8Array<ArrayBuffer> {
    // An attempt that failed may have left something.
    this.#writer.clear();
    for (const [resource, scopes] of [...grouped(spans)].reverse()) {
      this.#writeResourceSpans(resource, scopes);
    }
    return this.#writer.take();
  }

  #writeResourceSpans(
    resource: TelemetryResource | undefined,
    scopes: Map<Scope, EndedSpan[]>,
  ): void {
    const writer = this.#writer;
    const mark = writer.size;
    writer.optionalText(RESOURCE_SPANS.schemaUrl, resource?.schemaUrl);
    for (const [scope, spans] of [...scopes].reverse()) this.#writeScopeSpans(scope, spans);
    const resourceMark = writer.size;
    writer.attributes(RESOURCE.attributes, resource?.attributes);
    writer.close(RESOURCE_SPANS.resource, resourceMark);
    writer.close(REQUEST.resourceSpans, mark);
  }

  #writeScopeSpans(scope: Scope, spans: EndedSpan[]): void {
    const writer = this.#writer;
    const mark = writer.size;
    writer.optionalText(SCOPE_SPANS.schemaUrl, scope.schemaUrl);
    for (const ended of spans.reverse()) writeSpan(writer, SCOPE_SPANS.spans, ended);
    const scopeMark = writer.size;
    writer.optionalInt(SCOPE.droppedAttributes, scope.droppedAttributesCount);
    writer.attributes(SCOPE.attributes, scope.attributes);
    writer.optionalText(SCOPE.version, scope.version);
    writer.text(SCOPE.name, scope.name);
    writer.close(SCOPE_SPANS.scope, scopeMark);
    writer.close(RESOURCE_SPANS.scopeSpans, mark);
  }
}

/** By resource and scope, each of which is one object for many spans. */
function grouped(
  spans: readonly EndedSpan[],
): Map<TelemetryResource | undefined, Map<Scope, EndedSpan[]>> {
  const resources = new Map<TelemetryResource | undefined, Map<Scope, EndedSpan[]>>();
  for (const ended of spans) {
    const { resource } = ended.span;
    const scope = scopeOf(ended.span);
    const scopes = resources.get(resource) ?? new Map<Scope, EndedSpan[]>();
    const together = scopes.get(scope);
    if (together !== undefined) together.push(ended);
    else resources.set(resource, scopes.set(scope, [ended]));
  }
  return resources;
}

const SPAN = {
  traceId: 1,
  spanId: 2,
  traceState: 3,
  parentSpanId: 4,
  name: 5,
  kind: 6,
  startTime: 7,
  endTime: 8,
  attributes: 9,
  droppedAttributes: 10,
  events: 11,
  droppedEvents: 12,
  links: 13,
  droppedLinks: 14,
  status: 15,
  flags: 16,
};
const EVENT = { time: 1, name: 2, attributes: 3, droppedAttributes: 4 };
const LINK = {
  traceId: 1,
  spanId: 2,
  traceState: 3,
  attributes: 4,
  droppedAttributes: 5,
  flags: 6,
};
const STATUS = { message: 2, code: 3 };

const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

/** Writes a Span message, its last field first as the writer asks for. */
function writeSpan(writer: OtlpWriter, field: number, ended: EndedSpan): void {
  const { span } = ended;
  const context = span.spanContext();
  const parent = parentOf(span);
  const mark = writer.size;
  writer.fixed32(SPAN.flags, flagsOf(context, parent?.isRemote));
  writeStatus(writer, span.status);
  writer.optionalInt(SPAN.droppedLinks, span.droppedLinksCount);
  writeLinks(writer, span.links ?? []);
  writer.optionalInt(SPAN.droppedEvents, span.droppedEventsCount);
  writeEvents(writer, span.events ?? []);
  writer.optionalInt(SPAN.droppedAttributes, span.droppedAttributesCount);
  writeAttributes(writer, ended);
  writer.nanoseconds(SPAN.endTime, span.endTime[0], span.endTime[1]);
  writer.nanoseconds(SPAN.startTime, span.startTime[0], span.startTime[1]);
  // OTLP counts from 1; 0 is "unspecified".
  writer.int64(SPAN.kind, (span.kind ?? 0) + 1);
  writer.cleanText(SPAN.name, span.name);
  if (parent?.spanId) writer.hex(SPAN.parentSpanId, parent.spanId);
  writer.optionalText(SPAN.traceState, context.traceState?.serialize());
  writer.hex(SPAN.spanId, context.spanId);
  writer.hex(SPAN.traceId, context.traceId);
  writer.close(field, mark);
}

/** Its own attributes, and of the added ones those that it does not have. */
function writeAttributes(writer: OtlpWriter, { span, added }: EndedSpan): void {
  writer.attributes(SPAN.attributes, span.attributes);
  for (const key of Object.keys(added)) {
    if (!Object.hasOwn(span.attributes, key)) writer.attribute(SPAN.attributes, key, added[key]);
  }
}

function writeStatus(writer: OtlpWriter, { code, message }: SpanStatus): void {
  const mark = writer.size;
  writer.optionalInt(STATUS.code, code);
  if (message) writer.cleanText(STATUS.message, message);
  writer.close(SPAN.status, mark);
}

function writeEvents(writer: OtlpWriter, events: ReadableSpan["events"]): void {
  for (const event of events.toReversed()) {
    const mark = writer.size;
    writer.optionalInt(EVENT.droppedAttributes, event.droppedAttributesCount);
    writer.attributes(EVENT.attributes, event.attributes);
    writer.cleanText(EVENT.name, event.name);
    writer.nanoseconds(EVENT.time, event.time[0], event.time[1]);
    writer.close(SPAN.events, mark);
  }
}

function writeLinks(writer: OtlpWriter, links: readonly Link[]): void {
  for (const { context, attributes, droppedAttributesCount } of links.toReversed()) {
    const mark = writer.size;
    writer.fixed32(LINK.flags, flagsOf(context, context.isRemote));
    writer.optionalInt(LINK.droppedAttributes, droppedAttributesCount);
    writer.attributes(LINK.attributes, attributes);
    writer.optionalText(LINK.traceState, context.traceState?.serialize());
    writer.hex(LINK.spanId, context.spanId);
    writer.hex(LINK.traceId, context.traceId);
    writer.close(SPAN.links, mark);
  }
}

function flagsOf({ traceFlags }: SpanContext, isRemote: boolean | undefined): number {
  return (traceFlags & 0xff) | HAS_IS_REMOTE | (isRemote ? IS_REMOTE : 0);
}
