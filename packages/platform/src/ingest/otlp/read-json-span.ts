import type {
  Attributes,
  AttributeValue,
  OtlpEvent,
  OtlpLink,
  OtlpResource,
  OtlpScope,
  OtlpSpan,
} from "@agate/spans";
import { MAX_VALUE_DEPTH } from "./decode-outcome.ts";
import { findIdFault, type IdFaults, NOT_HEX, parentOf } from "./decoded-spans.ts";
import {
  canonicalName,
  type JsonObject,
  type JsonReader,
  parseBase64,
  parseDouble,
  parseHexId,
  parseInt64,
  parseUint32,
} from "./json-reader.ts";
import { EMPTY_ATTRIBUTES, NO_TIME, parseKind, parseStatusCode } from "./span-fields.ts";

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
    switch (canonicalName(field)) {
      case "traceId":
        traceId = readHexId(reader, field, value);
        break;
      case "spanId":
        spanId = readHexId(reader, field, value);
        break;
      case "parentSpanId":
        parentSpanId = readHexId(reader, field, value);
        break;
      case "traceState":
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
        start = reader.instant(field, value);
        break;
      case "endTimeUnixNano":
        end = reader.instant(field, value);
        break;
      case "attributes":
        attributes = readJsonAttributes(reader, field, value);
        break;
      case "droppedAttributesCount":
        droppedAttributesCount = reader.scalar(field, value, parseUint32, UINT32);
        break;
      case "events":
        reader.eachObject(field, value, (event) => events.push(readEvent(reader, event)));
        break;
      case "droppedEventsCount":
        droppedEventsCount = reader.scalar(field, value, parseUint32, UINT32);
        break;
      case "links":
        reader.eachObject(field, value, (link) => links.push(readLink(reader, link)));
        break;
      case "droppedLinksCount":
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

/** The id of a span or trace. One that is no hex is replaced by what no id can be. */
export function readHexId(reader: JsonReader, field: string, value: unknown): string {
  return parseHexId(reader.string(field, value)) ?? NOT_HEX;
}

/** Reads a list of KeyValue objects. */
export function readJsonAttributes(reader: JsonReader, field: string, value: unknown): Attributes {
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
    switch (canonicalName(field)) {
      case "timeUnixNano":
        time = reader.instant(field, value);
        break;
      case "name":
        name = reader.string(field, value);
        break;
      case "attributes":
        attributes = readJsonAttributes(reader, field, value);
        break;
      case "droppedAttributesCount":
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
    switch (canonicalName(field)) {
      case "traceId":
        traceId = readLinkedId(reader, field, value);
        break;
      case "spanId":
        spanId = readLinkedId(reader, field, value);
        break;
      case "traceState":
        traceState = reader.string(field, value);
        break;
      case "attributes":
        attributes = readJsonAttributes(reader, field, value);
        break;
      case "droppedAttributesCount":
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

/** Reads one KeyValue object into `attributes`; of equal keys the last one wins. */
export function readJsonAttribute(
  reader: JsonReader,
  attribute: JsonObject,
  attributes: Map<string, AttributeValue>,
  depth = 1,
): void {
  let key = "";
  let value: AttributeValue = null;
  for (const field in attribute) {
    const given = attribute[field];
    if (given === null) continue;
    if (field === "key") key = reader.string(field, given);
    else if (field === "value") {
      reader.within(field, given, (any) => {
        value = readAnyValue(reader, any, depth);
      });
    }
  }
  attributes.set(key, value);
}

/** Reads one AnyValue object; of several members the last one counts, as in protobuf. */
export function readAnyValue(reader: JsonReader, any: JsonObject, depth: number): AttributeValue {
  if (depth > MAX_VALUE_DEPTH) reader.fail("", `values nested at most ${MAX_VALUE_DEPTH} deep`);
  let value: AttributeValue = null;
  for (const field in any) {
    const given = any[field];
    // Null is an absent field in proto3's JSON; some exporters make it of NaN.
    if (given === null) continue;
    switch (canonicalName(field)) {
      case "stringValue":
        value = reader.string(field, given);
        break;
      case "boolValue":
        value = reader.bool(field, given);
        break;
      case "intValue":
        value = reader.scalar(field, given, parseInt64, "a signed 64-bit integer");
        break;
      case "doubleValue":
        value = reader.scalar(field, given, parseDouble, "a number");
        break;
      case "arrayValue":
        value = readList(reader, field, given, depth);
        break;
      case "kvlistValue":
        value = readMap(reader, field, given, depth);
        break;
      case "bytesValue":
        value = reader.scalar(field, given, parseBase64, "bytes in base64");
        break;
    }
  }
  return value;
}

function readList(
  reader: JsonReader,
  field: string,
  given: unknown,
  depth: number,
): AttributeValue {
  const list: AttributeValue[] = [];
  reader.within(field, given, ({ values }) => {
    if (values === undefined || values === null) return;
    reader.each("values", values, (item) => {
      list.push(item === null ? null : readAnyValue(reader, reader.object("", item), depth + 1));
    });
  });
  return list;
}

function readMap(reader: JsonReader, field: string, given: unknown, depth: number): AttributeValue {
  const map = new Map<string, AttributeValue>();
  reader.within(field, given, ({ values }) => {
    if (values === undefined || values === null) return;
    reader.eachObject("values", values, (item) => {
      readJsonAttribute(reader, item, map, depth + 1);
    });
  });
  return map;
}
