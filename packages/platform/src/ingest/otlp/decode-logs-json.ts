import type { AttributeValue } from "@agate/spans";
import { ID_FAULTS, parseJson } from "./decode-otlp-json.ts";
import { type DecodeLimits, decodeSafely } from "./decode-outcome.ts";
import { DecodedLogs, type LogsOutcome, logRecord, type OtlpLogRecord } from "./decoded-logs.ts";
import { canonicalName, type JsonObject, JsonReader } from "./json-reader.ts";
import { readAnyValue, readHexId, readJsonAttributes } from "./read-json-span.ts";
import { EMPTY_ATTRIBUTES, NO_TIME } from "./span-fields.ts";

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

/** Reads each object of one list. What else its owner has is passed over. */
export function eachOf(
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
  let attributes = EMPTY_ATTRIBUTES;
  let body: AttributeValue = null;
  for (const field in record) {
    const value = record[field];
    if (value === null) continue;
    switch (canonicalName(field)) {
      case "traceId":
        traceId = readHexId(reader, field, value);
        break;
      case "spanId":
        spanId = readHexId(reader, field, value);
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
        attributes = readJsonAttributes(reader, field, value);
        break;
      case "body":
        reader.within(field, value, (any) => {
          body = readAnyValue(reader, any, 1);
        });
        break;
    }
  }
  return logRecord({ traceId, spanId, name, time, observed, attributes, body });
}
