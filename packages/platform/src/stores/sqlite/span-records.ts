import type { DatabaseSync } from "node:sqlite";
import type { ListContent } from "@agate/protocol";
import { AFTER_LISTED_TOTAL } from "@agate/spans/tree";
import { ByteWindow, freeMemory } from "../byte-window.ts";
import type { HeaderRow } from "../segments/node-table.ts";
import { SegmentMerger } from "../segments/node-table.ts";
import {
  DamagedSegmentError,
  decodeHeader,
  isAssembledEntry,
  openRecordText,
  plainBody,
} from "../segments/segment.ts";
import type { SpanAdditions } from "../span-additions.ts";
import { segmentRange } from "./span-schema.ts";

/** A span of a list. */
export interface SpanRow {
  readonly span_id: string;
  readonly start: number;
  readonly start_nanos: number;
  readonly segment: number;
  readonly trace_no: number;
  readonly trace_id: string;
  readonly segments: number;
}

interface SegmentRow {
  readonly header: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

interface FoundRecord {
  /** The length of the record in UTF-8, without what is added. */
  readonly bytes: number;
  read(added: SpanAdditions, content: ListContent | undefined): string;
}

/**
 * Finds the listed records of spans; remembers what neighbours in the same page need too.
 *
 * @param check Called often: throws where the query is to stop.
 */
export function spanRecords(db: DatabaseSync, check: () => void): (row: SpanRow) => FoundRecord {
  const readHeader = db.prepare("SELECT header FROM segments WHERE segment = ?");
  const readSegment = db.prepare("SELECT header, body FROM segments WHERE segment = ?");
  const entriesOf = memoise((segment: number) => {
    const row = readHeader.get(segment) as { header: string } | undefined;
    return new Map(row && decodeHeader(row.header, segment).map((entry) => [entry.id, entry]));
  });
  const bodies = new ByteWindow<number, Uint8Array<ArrayBuffer>>();
  const readBody = (segment: number, traceId: string) => {
    const { header, body } = readSegment.get(segment) as unknown as SegmentRow;
    return plainBody(header, body, traceId);
  };
  const totals = memoise((traceNo: number) => totalsOf(db, traceNo, check));
  return ({ segment, segments, span_id, trace_no, trace_id }) => {
    const entry = entriesOf(segment).get(span_id);
    // In one snapshot, an existing span has its record.
    if (entry === undefined) throw new DamagedSegmentError(trace_id);
    const { offset, openLength, totalLength } = entry;
    const end = offset + openLength;
    const isAtHand = segments === 1 && isAssembledEntry(entry);
    const known = isAtHand ? null : totals(trace_no)(span_id);
    return {
      bytes: openLength + (known?.length ?? totalLength) + AFTER_LISTED_TOTAL.length,
      read: (added, content) => {
        bodies.shrink(freeMemory);
        const body = bodies.get(segment) ?? readBody(segment, trace_id);
        bodies.add(segment, body);
        const total =
          known ?? Buffer.from(body.subarray(end, end + totalLength)).toString("latin1");
        return added.listed(openRecordText(body, offset, openLength), total, content);
      },
    };
  };
}

/** The totals of a trace that is not a single assembled segment, by span id. */
function totalsOf(
  db: DatabaseSync,
  traceNo: number,
  check: () => void,
): (spanId: string) => string {
  const merger = new SegmentMerger();
  const headers = db.prepare(
    "SELECT segment, header FROM segments WHERE segment >= ? AND segment < ? ORDER BY segment",
  );
  for (const row of headers.iterate(...segmentRange(traceNo))) {
    check();
    merger.add(row as unknown as HeaderRow);
  }
  return merger.totals();
}

/** A function that makes the value of a key once. */
export function memoise<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
