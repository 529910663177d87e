import type {
  Attributes,
  AttributeValue,
  OtlpEvent,
  OtlpLink,
  OtlpResource,
  OtlpScope,
  OtlpSpan,
} from "@agate/spans";
import { EMPTY_ATTRIBUTES } from "./empty-attributes.ts";
import { NO_TIME } from "./instant.ts";
import type { JsonObject, JsonReader } from "./json-reader.ts";
import { parseHexId, parseUint32 } from "./json-scalars.ts";
import { parseKind, parseStatusCode } from "./known-enums.ts";
import { readJsonAttribute } from "./read-json-attribute.ts";
import { findIdFault, type IdFaults, NOT_HEX, parentOf } from "./span-ids.ts";

const UINT32 = "an unsigned 32-bit integer";

/** Reads one Span object; of a span that cannot be kept, what is wrong with its ids. */
export function readJsonSpan(
  reader: JsonReader,
  span: JsonObject,
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
  let attributes = EMPTY_ATTRIBUTES;
  let droppedAttributesCount = 0;
  const events: OtlpEvent[] = [];
  let droppedEventsCount = 0;
  const links: OtlpLink[] = [];
  let droppedLinksCount = 0;
  let statusCode = 0;
  let statusMessage = "";

  for (const field in span) {
    const value = span[field];
    if (value === null) continue;
    switch (field) {
      case "traceId":
      case "trace_id":
        traceId = parseHexId(reader.string(field, value)) ?? NOT_HEX;
        break;
      case "spanId":
      case "span_id":
        spanId = parseHexId(reader.string(field, value)) ?? NOT_HEX;
        break;
      case "parentSpanId":
      case "parent_span_id":
        parentSpanId = parseHexId(reader.string(field, value)) ?? NOT_HEX;
        break;
      case "traceState":
      case "trace_state":
        traceState = reader.string(field, value);
        break;
      case "flags":
        flags = reader.scalar(field, value, parseUint32, UINT32);
        break;
      case "name":
        name = reader.string(field, value);
        break;
      case "kind":
        kind = reader.scalar(field, value, parseKind, "a SpanKind");
        break;
      case "startTimeUnixNano":
      case "start_time_unix_nano":
        start = reader.instant(field, value);
        break;
      case "endTimeUnixNano":
      case "end_time_unix_nano":
        end = reader.instant(field, value);
        break;
      case "attributes":
        attributes = readAttributes(reader, field, value);
        break;
      case "droppedAttributesCount":
      case "dropped_attributes_count":
        droppedAttributesCount = reader.scalar(field, value, parseUint32, UINT32);
        break;
      case "events":
        reader.eachObject(field, value, (event) => events.push(readEvent(reader, event)));
        break;
      case "droppedEventsCount":
      case "dropped_events_count":
        droppedEventsCount = reader.scalar(field, value, parseUint32, UINT32);
        break;
      case "links":
        reader.eachObject(field, value, (link) => links.push(readLink(reader, link)));
        break;
      case "droppedLinksCount":
      case "dropped_links_count":
        droppedLinksCount = reader.scalar(field, value, parseUint32, UINT32);
        break;
      case "status":
        reader.within(field, value, ({ code, message }) => {
          if (code !== undefined && code !== null) {
            statusCode = reader.scalar("code", code, parseStatusCode, "a StatusCode");
          }
          if (message !== undefined && message !== null) {
            statusMessage = reader.string("message", message);
          }
        });
        break;
    }
  }

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
      attributes,
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

function readAttributes(reader: JsonReader, field: string, value: unknown): Attributes {
  const attributes = new Map<string, AttributeValue>();
  reader.eachObject(field, value, (item) => readJsonAttribute(reader, item, attributes));
  return attributes;
}

function readEvent(reader: JsonReader, event: JsonObject): OtlpEvent {
  let name = "";
  let time = NO_TIME;
  let attributes = EMPTY_ATTRIBUTES;
  let droppedAttributesCount = 0;
  for (const field in event) {
    const value = event[field];
    if (value === null) continue;
    switch (field) {
      case "timeUnixNano":
      case "time_unix_nano":
        time = reader.instant(field, value);
        break;
      case "name":
        name = reader.string(field, value);
        break;
      case "attributes":
        attributes = readAttributes(reader, field, value);
        break;
      case "droppedAttributesCount":
      case "dropped_attributes_count":
        droppedAttributesCount = reader.scalar(field, value, parseUint32, UINT32);
        break;
    }
  }
  return { name, time, attributes, droppedAttributesCount };
}

function readLink(reader: JsonReader, link: JsonObject): OtlpLink {
  let traceId = "";
  let spanId = "";
  let traceState = "";
  let attributes = EMPTY_ATTRIBUTES;
  let flags = 0;
  let droppedAttributesCount = 0;
  for (const field in link) {
    const value = link[field];
    if (value === null) continue;
    switch (field) {
      case "traceId":
      case "trace_id":
        traceId = readLinkedId(reader, field, value);
        break;
      case "spanId":
      case "span_id":
        spanId = readLinkedId(reader, field, value);
        break;
      case "traceState":
      case "trace_state":
        traceState = reader.string(field, value);
        break;
      case "attributes":
        attributes = readAttributes(reader, field, value);
        break;
      case "droppedAttributesCount":
      case "dropped_attributes_count":
        droppedAttributesCount = reader.scalar(field, value, parseUint32, UINT32);
        break;
      case "flags":
        flags = reader.scalar(field, value, parseUint32, UINT32);
        break;
    }
  }
  return { traceId, spanId, traceState, attributes, flags, droppedAttributesCount };
}

/** A link is only shown, never followed: an id that is no hex stays as it came. */
function readLinkedId(reader: JsonReader, field: string, value: unknown): string {
  const text = reader.string(field, value);
  return parseHexId(text) ?? text;
}
