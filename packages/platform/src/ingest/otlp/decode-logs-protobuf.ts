import type { AttributeValue } from "@agate/spans";
import { ID_FAULTS } from "./decode-otlp-protobuf.ts";
import { type DecodeLimits, decodeSafely } from "./decode-outcome.ts";
import { DecodedLogs, type LogsOutcome, logRecord, type OtlpLogRecord } from "./decoded-logs.ts";
import { OtlpWireReader } from "./otlp-wire-reader.ts";
import { readAnyValue, readProtobufAttribute } from "./read-protobuf-attribute.ts";
import { NO_TIME } from "./span-fields.ts";
import type { WireReader } from "./wire-reader.ts";

// Tags: field number times eight, plus wire type.
const RESOURCE_LOGS = (1 << 3) | 2;
const SCOPE_LOGS = (2 << 3) | 2;
const LOG_RECORDS = (2 << 3) | 2;

const TIME = (1 << 3) | 1;
const BODY = (5 << 3) | 2;
const ATTRIBUTES = (6 << 3) | 2;
const TRACE_ID = (9 << 3) | 2;
const SPAN_ID = (10 << 3) | 2;
const OBSERVED_TIME = (11 << 3) | 1;
const EVENT_NAME = (12 << 3) | 2;

/** Decodes an ExportLogsServiceRequest in protobuf's binary encoding. Never throws. */
export function decodeLogsProtobuf(bytes: Uint8Array, limits: DecodeLimits): LogsOutcome {
  return decodeSafely(bytes, () => {
    const reader = new OtlpWireReader(bytes, limits.values);
    const logs = new DecodedLogs(limits, ID_FAULTS);
    eachOf(reader, RESOURCE_LOGS, () =>
      within(reader, () =>
        eachOf(reader, SCOPE_LOGS, () =>
          within(reader, () => eachOf(reader, LOG_RECORDS, () => logs.add(readRecord(reader)))),
        ),
      ),
    );
    return logs.outcome();
  });
}

/** Reads each field with a tag. What else its message has is passed over. */
export function eachOf(reader: WireReader, wanted: number, read: () => void): void {
  while (reader.pos < reader.end) {
    const tag = reader.tag();
    if (tag === wanted) read();
    else reader.skip(tag);
  }
}

/** Reads a message to its end. */
export function within(reader: WireReader, read: () => void): void {
  const outer = reader.enter();
  read();
  reader.leave(outer);
}

function readRecord(reader: OtlpWireReader): OtlpLogRecord {
  let traceId = "";
  let spanId = "";
  let name = "";
  let time = NO_TIME;
  let observed = NO_TIME;
  const attributes = new Map<string, AttributeValue>();
  let body: AttributeValue = null;
  const outer = reader.enter();
  while (reader.pos < reader.end) {
    const tag = reader.tag();
    switch (tag) {
      case ATTRIBUTES:
        readProtobufAttribute(reader, attributes);
        break;
      case BODY:
        body = readAnyValue(reader, body, 1);
        break;
      case TRACE_ID:
        traceId = reader.traceId();
        break;
      case SPAN_ID:
        spanId = reader.hex();
        break;
      case EVENT_NAME:
        name = reader.repeatedString();
        break;
      case TIME:
        time = reader.instant();
        break;
      case OBSERVED_TIME:
        observed = reader.instant();
        break;
      default:
        reader.skip(tag);
    }
  }
  reader.leave(outer);
  return logRecord({ traceId, spanId, name, time, observed, attributes, body });
}
