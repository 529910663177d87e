import { setImmediate as nextTurn } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { ByteWindow } from "../byte-window.ts";
import { isRecordAt } from "../segments/compact-segment.ts";
import type { NodeTable, PlacedNode } from "../segments/node-table.ts";
import { SegmentMerger } from "../segments/node-table.ts";
import type { PlacedEntry } from "../segments/segment.ts";
import {
  checkBody,
  checkBodyOnly,
  DamagedSegmentError,
  decodeHeader,
  unpackBody,
  withTraceId,
} from "../segments/segment.ts";
import { packFrame } from "../segments/segment-frame.ts";
import { TraceGoneError } from "../span-store.ts";
import { tableOfDay } from "./day.ts";
import { isMissingDay } from "./postgres-errors.ts";
import type { SqlRunner } from "./span-database.ts";

/** Names a segment. */
export interface SegmentPlace {
  readonly day: number;
  readonly trace_no: number;
  readonly segment: number;
}

/** A segment of which the header was read; its body is unpacked when it is asked for. */
export interface ReadSegment {
  /** Of a span in it. */
  entry(spanId: string): PlacedEntry | undefined;
  /**
   * Undefined where the segment was deleted meanwhile.
   *
   * @throws DamagedSegmentError
   */
  body(): Promise<Buffer | undefined>;
}

/** Segments asked for at a time. */
const SEGMENTS_PER_READ = 64;
/** A body up to this length, as it is stored, is read with its header. Few records are longer. */
const SMALL_BODY = 256 * 1024;

/** After this time of unpacking and reading, others have their turn. A page of a list may take a tenth of a second. */
const TURN_MS = 1;

interface SegmentRow {
  readonly trace_no: number;
  readonly segment: number;
  readonly header: Buffer<ArrayBuffer>;
  /** Null where it is long. */
  readonly body: Buffer<ArrayBuffer> | null;
}

/**
 * The segments of a list's rows, in their order; undefined for one that is gone. A batch is read at a
 * time and one body is unpacked at a time: the bodies of a whole page may take gigabytes.
 */
export async function* segmentsInOrder<Row extends SegmentPlace>(
  runner: SqlRunner,
  rows: readonly Row[],
): AsyncGenerator<{ readonly row: Row; readonly segment: ReadSegment | undefined }, void, void> {
  const unpackLast = lastUnpacked(runner);
  let turn = performance.now();
  for (let at = 0; at < rows.length; at += SEGMENTS_PER_READ) {
    const batch = rows.slice(at, at + SEGMENTS_PER_READ);
    const unique = new Map(batch.map((row) => [keyOf(row), row]));
    const segments = new Map<string, ReadSegment>();
    for (const [day, ofDay] of Map.groupBy(unique.values(), (row) => row.day)) {
      for (const row of await readDay(runner, day, ofDay)) {
        segments.set(
          keyOf(row),
          readSegment(row, () => unpackLast(row, day)),
        );
      }
    }
    for (const row of batch) {
      if (performance.now() - turn > TURN_MS) {
        await nextTurn();
        turn = performance.now();
      }
      yield { row, segment: segments.get(keyOf(row)) };
    }
  }
}

function keyOf({ trace_no, segment }: Omit<SegmentPlace, "day">): string {
  return `${trace_no}.${segment}`;
}

/** Keeps the last body that was unpacked: neighbours in a list are often of the same segment. */
function lastUnpacked(runner: SqlRunner) {
  let last: { readonly key: string; readonly body: Buffer | undefined } | undefined;
  return async (row: SegmentRow, day: number): Promise<Buffer | undefined> => {
    const key = keyOf(row);
    if (last?.key === key) return last.body;
    last = undefined;
    const { header, body: packed } = row.body === null ? await readWhole(runner, day, row) : row;
    const body = packed === null ? undefined : unpack(packed);
    if (body !== undefined) checkBodyOnly(unpack(header).toString("latin1"), body);
    last = { key, body };
    return body;
  };
}

function readSegment(
  { segment, header }: SegmentRow,
  body: () => Promise<Buffer | undefined>,
): ReadSegment {
  // Not all callers that need the body ask for spans.
  let entries: ReadonlyMap<string, PlacedEntry> | undefined;
  return {
    body,
    entry: (spanId) => {
      entries ??= new Map(
        decodeHeader(unpack(header).toString(), segment).map((entry) => [entry.id, entry]),
      );
      return entries.get(spanId);
    },
  };
}

function readDay(
  runner: SqlRunner,
  day: number,
  places: readonly SegmentPlace[],
): Promise<SegmentRow[]> {
  return unlessDayIsGone([], () =>
    runner.query<SegmentRow>(
      `SELECT s.trace_no, s.segment, s.header,
         CASE WHEN octet_length(s.body) <= ${SMALL_BODY} THEN s.body END AS body
       FROM unnest($1::bigint[], $2::integer[]) AS n (trace_no, segment)
       JOIN ${tableOfDay("segments", day)} s
         ON s.trace_no = n.trace_no AND s.segment = n.segment`,
      [places.map(({ trace_no }) => trace_no), places.map(({ segment }) => segment)],
    ),
  );
}

/** With the header as it is now: compaction may have changed both. The same where it is gone. */
function readWhole(runner: SqlRunner, day: number, row: SegmentRow): Promise<SegmentRow> {
  return unlessDayIsGone(row, async () => {
    const [whole] = await runner.query<SegmentRow>(
      `SELECT trace_no, segment, header, body FROM ${tableOfDay("segments", day)}
       WHERE trace_no = $1 AND segment = $2`,
      [row.trace_no, row.segment],
    );
    return whole ?? row;
  });
}

async function unlessDayIsGone<Result>(
  otherwise: Result,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (isMissingDay(error)) return otherwise;
    throw error;
  }
}

/** Compressing shorter texts saves nothing. */
const WORTH_PACKING = 200;

/** JSON text as it is kept: packed with Zstandard where that makes it smaller. */
export function pack(text: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (text.length < WORTH_PACKING) return text;
  const packed = packFrame(text);
  return packed.length < text.length ? packed : text;
}

/**
 * The text that was packed.
 *
 * @throws DamagedSegmentError
 */
export function unpack(bytes: Uint8Array<ArrayBuffer>): Buffer<ArrayBuffer> {
  const text = unpackBody(bytes);
  return Buffer.from(text.buffer, text.byteOffset, text.byteLength);
}

/** The value of `answer_sum` for a body as it is stored. */
export function answerSum(body: Uint8Array, traceId: string): number {
  // PostgreSQL's integers have a sign.
  return crc32(body, crc32(traceId)) | 0;
}

interface HeaderRow {
  readonly trace_no: number;
  readonly segment: number;
  readonly header: Buffer<ArrayBuffer>;
}

/** The nodes of some traces of one day, by their numbers; a trace that is gone is left out. */
export async function mergeHeaders(
  runner: SqlRunner,
  day: number,
  traceNos: readonly number[],
): Promise<Map<number, SegmentMerger>> {
  const rows = await runner.query<HeaderRow>(
    `SELECT trace_no, segment, header FROM ${tableOfDay("segments", day)}
     WHERE trace_no = ANY($1::bigint[]) ORDER BY trace_no, segment`,
    [traceNos],
  );
  const mergers = new Map<number, SegmentMerger>();
  for (const { trace_no, segment, header } of rows) {
    const merger = mergers.get(trace_no) ?? new SegmentMerger();
    mergers.set(trace_no, merger);
    merger.add({ segment, header: unpack(header).toString() });
  }
  return mergers;
}

interface TracePlace {
  readonly traceNo: number;
  readonly traceId: string;
  readonly day: number;
}

interface BodyRow {
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
  const bodies = new ByteWindow<number>();
  return async (wanted) => {
    const places = wanted.map((index) => nodes.at(index) as PlacedNode);
    const missing: number[] = [];
    for (const segment of new Set(places.map((place) => place.segment))) {
      const body = bodies.get(segment);
      if (body === undefined) missing.push(segment);
      else bodies.add(segment, body);
    }
    for (let at = 0; at < missing.length; at += SEGMENTS_PER_READ) {
      const some = missing.slice(at, at + SEGMENTS_PER_READ);
      for (const [segment, body] of await readBodies(runner, place, some))
        bodies.add(segment, body);
    }
    const records = places.map(({ segment, offset, openLength }) => {
      const body = bodies.get(segment);
      if (body === undefined) throw gone();
      if (!isRecordAt(body, offset, openLength)) {
        throw new TraceGoneError("A span of the trace was replaced while it was read");
      }
      return body.subarray(offset, offset + openLength);
    });
    bodies.shrink();
    return records;
  };
}

async function readBodies(
  runner: SqlRunner,
  { traceNo, traceId, day }: TracePlace,
  segments: readonly number[],
): Promise<[number, Buffer][]> {
  try {
    const rows = await runner.query<BodyRow>(
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

function gone(): TraceGoneError {
  return new TraceGoneError("The trace was deleted while it was read");
}
