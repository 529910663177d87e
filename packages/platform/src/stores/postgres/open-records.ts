import { isRecordAt } from "../segments/compact-segment.ts";
import type { NodeTable, PlacedNode } from "../segments/node-table.ts";
import { checkBody, DamagedSegmentError, withTraceId } from "../segments/segment-checksum.ts";
import { TraceGoneError } from "../span-store.ts";
import { tableOfDay } from "./day.ts";
import { isMissingDay } from "./postgres-errors.ts";
import { unpack } from "./read-segments.ts";
import type { SqlRunner } from "./span-database.ts";

/** Bodies kept at hand while one large trace is read; its spans jump between segments. */
const WINDOW_BYTES = 16 * 1024 * 1024;
/** Bodies that are asked for at a time. */
const SEGMENTS_PER_READ = 64;

interface TracePlace {
  readonly traceNo: number;
  readonly traceId: string;
  readonly day: number;
}

interface SegmentRow {
  readonly segment: number;
  readonly header: Buffer<ArrayBuffer>;
  readonly body: Buffer<ArrayBuffer>;
}

/** Reads the open records of a trace's nodes. */
export function openRecordsOf(
  runner: SqlRunner,
  place: TracePlace,
  nodes: NodeTable,
): (wanted: readonly number[]) => Promise<readonly Uint8Array[]> {
  /** Bodies by segment, the least recently used first. */
  const window = new Map<number, Buffer>();
  return async (wanted) => {
    const places = wanted.map((index) => nodes.at(index) as PlacedNode);
    const needed = [...new Set(places.map(({ segment }) => segment))];
    const bodies = new Map<number, Buffer>();
    for (const segment of needed) {
      const body = window.get(segment);
      if (body !== undefined) bodies.set(segment, body);
    }
    const missing = needed.filter((segment) => !bodies.has(segment));
    for (let at = 0; at < missing.length; at += SEGMENTS_PER_READ) {
      const some = missing.slice(at, at + SEGMENTS_PER_READ);
      for (const [segment, body] of await readBodies(runner, place, some)) {
        bodies.set(segment, body);
      }
    }
    keep(window, bodies);
    return places.map(({ segment, offset, openLength }) => {
      const body = bodies.get(segment);
      if (body === undefined) throw gone();
      if (!isRecordAt(body, offset, openLength)) {
        throw new TraceGoneError("A span of the trace was replaced while it was read");
      }
      return body.subarray(offset, offset + openLength);
    });
  };
}

async function readBodies(
  runner: SqlRunner,
  { traceNo, traceId, day }: TracePlace,
  segments: readonly number[],
): Promise<[number, Buffer][]> {
  try {
    const rows = await runner.query<SegmentRow>(
      `SELECT segment, header, body FROM ${tableOfDay("segments", day)}
       WHERE trace_no = $1 AND segment = ANY($2::integer[])`,
      [traceNo, segments],
    );
    return rows.map(({ segment, header, body: packed }) => {
      const body = unpack(packed);
      checkBody(unpack(header).toString("latin1"), body, traceId);
      return [segment, body];
    });
  } catch (error) {
    if (error instanceof DamagedSegmentError) throw withTraceId(error, traceId);
    throw isMissingDay(error) ? gone() : error;
  }
}

function keep(window: Map<number, Buffer>, bodies: ReadonlyMap<number, Buffer>): void {
  for (const [segment, body] of bodies) {
    window.delete(segment);
    window.set(segment, body);
  }
  let bytes = 0;
  for (const body of window.values()) bytes += body.length;
  for (const [oldest, body] of window) {
    if (bytes <= WINDOW_BYTES) return;
    window.delete(oldest);
    bytes -= body.length;
  }
}

function gone(): TraceGoneError {
  return new TraceGoneError("The trace was deleted while it was read");
}
