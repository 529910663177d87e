import type {
  AttributeValue,
  OtlpEvent,
  OtlpLink,
  OtlpResource,
  OtlpScope,
  OtlpSpan,
} from "@agate/spans";
import { findIdFault, type IdFaults, parentOf } from "./decoded-spans.ts";
import type { OtlpWireReader } from "./otlp-wire-reader.ts";
import { readProtobufAttribute } from "./read-protobuf-attribute.ts";
import { EMPTY_ATTRIBUTES, knownKind, knownStatusCode, NO_TIME } from "./span-fields.ts";

// Tags: field number times eight, plus wire type. The most frequent one is compared first.
const ATTRIBUTES = (9 << 3) | 2;
const TRACE_ID = (1 << 3) | 2;
const SPAN_ID = (2 << 3) | 2;
const TRACE_STATE = (3 << 3) | 2;
const PARENT_SPAN_ID = (4 << 3) | 2;
const NAME = (5 << 3) | 2;
const KIND = (6 << 3) | 0;
const START_TIME = (7 << 3) | 1;
const END_TIME = (8 << 3) | 1;
const DROPPED_ATTRIBUTES = (10 << 3) | 0;
const EVENTS = (11 << 3) | 2;
const DROPPED_EVENTS = (12 << 3) | 0;
const LINKS = (13 << 3) | 2;
const DROPPED_LINKS = (14 << 3) | 0;
const STATUS = (15 << 3) | 2;
const FLAGS = (16 << 3) | 5;

const STATUS_MESSAGE = (2 << 3) | 2;
const STATUS_CODE = (3 << 3) | 0;

const EVENT_TIME = (1 << 3) | 1;
const EVENT_NAME = (2 << 3) | 2;
const EVENT_ATTRIBUTES = (3 << 3) | 2;
const EVENT_DROPPED_ATTRIBUTES = (4 << 3) | 0;

const LINK_TRACE_ID = (1 << 3) | 2;
const LINK_SPAN_ID = (2 << 3) | 2;
const LINK_TRACE_STATE = (3 << 3) | 2;
const LINK_ATTRIBUTES = (4 << 3) | 2;
const LINK_DROPPED_ATTRIBUTES = (5 << 3) | 0;
const LINK_FLAGS = (6 << 3) | 5;

/** Reads one Span message; of a span that cannot be kept, what is wrong with its ids. */
export function readProtobufSpan(
  reader: OtlpWireReader,
  resource: OtlpResource,
  scope: OtlpScope,
): OtlpSpan | keyof IdFaults {
  let traceId = "";
  let spanId = "";
  let parentSpanId = "";
  let traceState = "";
  let flags = 0;
  let name = "";
  let kind = 0;
  let start = NO_TIME;
  let end = NO_TIME;
  let attributes: Map<string, AttributeValue> | null = null;
  let droppedAttributesCount = 0;
  const events: OtlpEvent[] = [];
  let droppedEventsCount = 0;
  const links: OtlpLink[] = [];
  let droppedLinksCount = 0;
  let statusCode = 0;
  let statusMessage = "";

  const outer = reader.enter();
  while (reader.pos < reader.end) {
    const tag = reader.tag();
    switch (tag) {
      case ATTRIBUTES:
        attributes ??= new Map();
        readProtobufAttribute(reader, attributes);
        break;
      case TRACE_ID:
        traceId = reader.traceId();
        break;
      case SPAN_ID:
        spanId = reader.hex();
        break;
      case TRACE_STATE:
        traceState = reader.string();
        break;
      case PARENT_SPAN_ID:
        parentSpanId = reader.parentSpanId();
        break;
      case NAME:
        name = reader.repeatedString();
        break;
      case KIND:
        kind = knownKind(reader.uint32());
        break;
      case START_TIME:
        start = reader.instant();
        break;
      case END_TIME:
        end = reader.instant();
        break;
      case DROPPED_ATTRIBUTES:
        droppedAttributesCount = reader.uint32();
        break;
      case EVENTS:
        events.push(readEvent(reader));
        break;
      case DROPPED_EVENTS:
        droppedEventsCount = reader.uint32();
        break;
      case LINKS:
        links.push(readLink(reader));
        break;
      case DROPPED_LINKS:
        droppedLinksCount = reader.uint32();
        break;
      case STATUS: {
        // Here, not in a function of its own: a second status merges into the first.
        const spanEnd = reader.enter();
        while (reader.pos < reader.end) {
          const statusTag = reader.tag();
          if (statusTag === STATUS_CODE) statusCode = knownStatusCode(reader.uint32());
          else if (statusTag === STATUS_MESSAGE) statusMessage = reader.string();
          else reader.skip(statusTag);
        }
        reader.leave(spanEnd);
        break;
      }
      case FLAGS:
        flags = reader.fixed32();
        break;
      default:
        reader.skip(tag);
    }
  }
  reader.leave(outer);

  return (
    findIdFault(traceId, spanId, parentSpanId) ?? {
      traceId,
      spanId,
      parentSpanId: parentOf(parentSpanId),
      traceState,
      flags,
      name,
      kind,
      start,
      end,
      attributes: attributes ?? EMPTY_ATTRIBUTES,
      events,
      links,
      statusCode,
      statusMessage,
      droppedAttributesCount,
      droppedEventsCount,
      droppedLinksCount,
      resource,
      scope,
    }
  );
}

function readEvent(reader: OtlpWireReader): OtlpEvent {
  let name = "";
  let time = NO_TIME;
  let attributes: Map<string, AttributeValue> | null = null;
  let droppedAttributesCount = 0;
  const outer = reader.enter();
  while (reader.pos < reader.end) {
    const tag = reader.tag();
    switch (tag) {
      case EVENT_TIME:
        time = reader.instant();
        break;
      case EVENT_NAME:
        name = reader.repeatedString();
        break;
      case EVENT_ATTRIBUTES:
        attributes ??= new Map();
        readProtobufAttribute(reader, attributes);
        break;
      case EVENT_DROPPED_ATTRIBUTES:
        droppedAttributesCount = reader.uint32();
        break;
      default:
        reader.skip(tag);
    }
  }
  reader.leave(outer);
  return { name, time, attributes: attributes ?? EMPTY_ATTRIBUTES, droppedAttributesCount };
}

function readLink(reader: OtlpWireReader): OtlpLink {
  let traceId = "";
  let spanId = "";
  let traceState = "";
  let attributes: Map<string, AttributeValue> | null = null;
  let flags = 0;
  let droppedAttributesCount = 0;
  const outer = reader.enter();
  while (reader.pos < reader.end) {
    const tag = reader.tag();
    switch (tag) {
      case LINK_TRACE_ID:
        traceId = reader.hex();
        break;
      case LINK_SPAN_ID:
        spanId = reader.hex();
        break;
      case LINK_TRACE_STATE:
        traceState = reader.string();
        break;
      case LINK_ATTRIBUTES:
        attributes ??= new Map();
        readProtobufAttribute(reader, attributes);
        break;
      case LINK_DROPPED_ATTRIBUTES:
        droppedAttributesCount = reader.uint32();
        break;
      case LINK_FLAGS:
        flags = reader.fixed32();
        break;
      default:
        reader.skip(tag);
    }
  }
  reader.leave(outer);
  return {
    traceId,
    spanId,
    traceState,
    attributes: attributes ?? EMPTY_ATTRIBUTES,
    flags,
    droppedAttributesCount,
  };
}
