import type { AttributeValue } from "@agate/spans";
import { MAX_VALUE_DEPTH } from "./decode-limits.ts";
import type { JsonObject, JsonReader } from "./json-reader.ts";
import { parseBase64, parseDouble, parseInt64 } from "./json-scalars.ts";

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
function readAnyValue(reader: JsonReader, any: JsonObject, depth: number): AttributeValue {
  if (depth > MAX_VALUE_DEPTH) reader.fail("", `values nested at most ${MAX_VALUE_DEPTH} deep`);
  let value: AttributeValue = null;
  for (const field in any) {
    const given = any[field];
    // Null is an absent field in proto3's JSON; some exporters make it of NaN.
    if (given === null) continue;
    switch (field) {
      case "stringValue":
      case "string_value":
        value = reader.string(field, given);
        break;
      case "boolValue":
      case "bool_value":
        value = reader.bool(field, given);
        break;
      case "intValue":
      case "int_value":
        value = reader.scalar(field, given, parseInt64, "a signed 64-bit integer");
        break;
      case "doubleValue":
      case "double_value":
        value = reader.scalar(field, given, parseDouble, "a number");
        break;
      case "arrayValue":
      case "array_value":
        value = readList(reader, field, given, depth);
        break;
      case "kvlistValue":
      case "kvlist_value":
        value = readMap(reader, field, given, depth);
        break;
      case "bytesValue":
      case "bytes_value":
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
