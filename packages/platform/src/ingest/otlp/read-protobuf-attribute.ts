import type { AttributeValue } from "@agate/spans";
import { MAX_VALUE_DEPTH } from "./decode-outcome.ts";
import type { OtlpWireReader } from "./otlp-wire-reader.ts";

/** Tags: field number times eight, plus wire type. */
const KEY = (1 << 3) | 2;
const VALUE = (2 << 3) | 2;
const STRING_VALUE = (1 << 3) | 2;
const BOOL_VALUE = (2 << 3) | 0;
const INT_VALUE = (3 << 3) | 0;
const DOUBLE_VALUE = (4 << 3) | 1;
const ARRAY_VALUE = (5 << 3) | 2;
const KVLIST_VALUE = (6 << 3) | 2;
const BYTES_VALUE = (7 << 3) | 2;
const VALUES = (1 << 3) | 2;

/** Reads one KeyValue message into `attributes`; of equal keys the last one wins. */
export function readProtobufAttribute(
  reader: OtlpWireReader,
  attributes: Map<string, AttributeValue>,
  depth = 1,
): void {
  const outer = reader.enter();
  let key = "";
  let value: AttributeValue = null;
  while (reader.pos < reader.end) {
    const tag = reader.tag();
    if (tag === KEY) key = reader.repeatedString();
    else if (tag === VALUE) value = readAnyValue(reader, value, depth);
    else reader.skip(tag);
  }
  reader.leave(outer);
  attributes.set(key, value);
}

/**
 * Reads one AnyValue message. `before` is what came before in the same field: protobuf merges
 * repeated occurrences of a message, and of a oneof the last member counts.
 */
export function readAnyValue(
  reader: OtlpWireReader,
  before: AttributeValue,
  depth: number,
): AttributeValue {
  if (depth > MAX_VALUE_DEPTH) reader.fail(`a value is nested deeper than ${MAX_VALUE_DEPTH}`);
  const outer = reader.enter();
  let value = before;
  while (reader.pos < reader.end) {
    const tag = reader.tag();
    switch (tag) {
      case STRING_VALUE:
        value = reader.repeatedString();
        break;
      case BOOL_VALUE:
        value = reader.bool();
        break;
      case INT_VALUE:
        value = reader.int64();
        break;
      case DOUBLE_VALUE:
        value = reader.double();
        break;
      case ARRAY_VALUE:
        value = readList(reader, value, depth);
        break;
      case KVLIST_VALUE:
        value = readMap(reader, value, depth);
        break;
      case BYTES_VALUE:
        value = reader.copyBytes();
        break;
      default:
        reader.skip(tag);
    }
  }
  reader.leave(outer);
  return value;
}

function readList(reader: OtlpWireReader, before: AttributeValue, depth: number): AttributeValue {
  const list: AttributeValue[] = Array.isArray(before) ? before : [];
  const outer = reader.enter();
  while (reader.pos < reader.end) {
    const tag = reader.tag();
    if (tag === VALUES) list.push(readAnyValue(reader, null, depth + 1));
    else reader.skip(tag);
  }
  reader.leave(outer);
  return list;
}

function readMap(reader: OtlpWireReader, before: AttributeValue, depth: number): AttributeValue {
  const map: Map<string, AttributeValue> = before instanceof Map ? before : new Map();
  const outer = reader.enter();
  while (reader.pos < reader.end) {
    const tag = reader.tag();
    if (tag === VALUES) readProtobufAttribute(reader, map, depth + 1);
    else reader.skip(tag);
  }
  reader.leave(outer);
  return map;
}
