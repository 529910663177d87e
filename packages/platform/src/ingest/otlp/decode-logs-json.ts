import type { AttributeValue } from "@agate/spans";
import { ID_FAULTS, parseJson } from "./decode-otlp-json.ts";
import { type DecodeLimits, decodeSafely } from "./decode-outcome.ts";
import { DecodedLogs, type LogsOutcome, type OtlpLogRecord } from "./decoded-logs.ts";
import { NOT_HEX } from "./decoded-spans.ts";
import { canonicalName, type JsonObject, JsonReader, parseHexId } from "./json-reader.ts";
import { readJsonAttribute } from "./read-json-span.ts";
import { NO_TIME } from "./span-fields.ts";

/** Decodes an ExportLogsServiceRequest in OTLP's JSON encoding. Never throws. */
export function decodeLogsJson(bytes: Uint8Array, limits: DecodeLimits): LogsOutcome {
  return decodeSafely(bytes, () => {
    const reader = new JsonReader();
    const logs = new DecodedLogs(limits, ID_FAULTS);
    const request = reader.object("", parseJson(bytes, limits.values));
    eachOf(reader, request, "resourceLogs", (resourceLogs) =>
      eachOf(reader, resourceLogs, "scopeLogs", (scopeLogs) =>
        eachOf(reader, scopeLogs, "logRecords", (record) => logs.add(readRecord(reader, record))),
      ),
    );
    return logs.outcome();
  });
}

/** Reads each object of one list. What else its owner has is of no use to a score. */
function eachOf(
  reader: JsonReader,
  owner: JsonObject,
  name: string,
  read: (item: JsonObject) => void,
): void {
  for (const field in owner) {
    const value = owner[field];
    if (value !== null && canonicalName(field) === name) reader.eachObject(field, value, read);
  }
}

function readRecord(reader: JsonReader, record: JsonObject): OtlpLogRecord {
  let traceId = "";
  let spanId = "";
  let name = "";
  let time = NO_TIME;
  let observed = NO_TIME;
  const attributes = new Map<string, AttributeValue>();
  for (const field in record) {
    const value = record[field];
    if (value === null) continue;
    switch (canonicalName(field)) {
      case "traceId":
        traceId = parseHexId(reader.string(field, value)) ?? NOT_HEX;
        break;
      case "spanId":
        spanId = parseHexId(reader.string(field, value)) ?? NOT_HEX;
        break;
      case "eventName":
        name = reader.string(field, value);
        break;
      case "timeUnixNano":
        time = reader.instant(field, value);
        break;
      case "observedTimeUnixNano":
        observed = reader.instant(field, value);
        break;
      case "attributes":
        reader.eachObject(field, value, (item) => readJsonAttribute(reader, item, attributes));
        break;
    }
  }
  const event = { name, time: time.us === 0 ? observed : time, attributes };
  return { traceId, spanId, event: { ...event, droppedAttributesCount: 0 } };
}
