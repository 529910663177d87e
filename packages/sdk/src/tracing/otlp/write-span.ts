import type { Link, SpanContext, SpanStatus } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { EndedSpan } from "../ended-span.ts";
import type { OtlpWriter } from "./otlp-writer.ts";
import { parentOf } from "./parent-and-scope.ts";

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
export function writeSpan(writer: OtlpWriter, field: number, ended: EndedSpan): void {
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
