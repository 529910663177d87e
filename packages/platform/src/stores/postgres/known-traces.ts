import type { StoredSegment } from "../segments/sent-again.ts";
import { unchangedSpans, withoutSpans } from "../segments/sent-again.ts";
import { beyondLimit } from "../span-limit.ts";
import type { RejectedSpan } from "../span-store.ts";
import type { SpanColumns } from "../summary/summary-columns.ts";
import { dateText, tableOfDay } from "./day.ts";
import { isSpan } from "./filter-sql.ts";
import { packTrace, unpackTrace } from "./packed-trace.ts";
import type { PlacedTrace } from "./place-traces.ts";
import { unpack } from "./read-segments.ts";
import type { SqlRunner } from "./span-database.ts";
import type { Place } from "./unindexed-places.ts";

/** Stored segments that are in memory at a time, to be compared with what is sent again. */
const SEGMENTS_COMPARED = 64;

/** A span that was not written, since its trace is full. */
export interface RejectedInProject extends RejectedSpan {
  readonly project: string;
}

/**
 * Leaves out what is stored already or has no room, and takes the rows of spans away that are written
 * anew.
 *
 * @param rejected Gets the spans that have no room.
 * @returns The traces as they are then, with how many spans they have and of how many their summary knows.
 */
export async function prepareKnownTraces(
  transaction: SqlRunner,
  known: readonly PlacedTrace[],
  maxSpansPerTrace: number,
  rejected: RejectedInProject[],
): Promise<PlacedTrace[]> {
  const prepared: PlacedTrace[] = [];
  for (const [day, traces] of Map.groupBy(known, (one) => one.day)) {
    const earlier = await earlierSpans(transaction, day, traces);
    const unchanged = await unchangedInDay(transaction, day, traces, earlier);
    const replaced: EarlierSpan[] = [];
    const superseded: [traceNo: number, segment: number][] = [];
    for (const one of traces) {
      const own = earlier.get(one.traceNo);
      const stored = new Set(own?.map(({ index }) => index));
      const before = one.isNew ? 0 : one.spans;
      const { columns, traceId } = one.trace;
      const beyond = beyondLimit(
        columns.length,
        (index) => stored.has(index),
        before,
        maxSpansPerTrace,
      );
      for (const index of beyond) {
        const [spanId] = columns[index] as SpanColumns;
        rejected.push({ project: one.project, traceId, spanId });
      }
      const leftOut = unchanged.get(one.traceNo) ?? new Set();
      const changed = (own ?? []).filter(({ index }) => !leftOut.has(index));
      for (const span of changed) replaced.push(span);
      for (const segment of new Set(changed.map((span) => span.segment))) {
        superseded.push([one.traceNo, segment]);
      }
      const rest = withoutSome(one, new Set([...leftOut, ...beyond]));
      prepared.push({
        ...rest,
        spans: before + rest.trace.columns.length - changed.length,
        summarised: Math.max(0, one.summarised - changed.length),
      });
    }
    await forgetReplaced(transaction, day, replaced);
    await noteSuperseded(transaction, day, superseded);
  }
  await giveSegmentsBack(transaction, known, prepared);
  return prepared;
}

function withoutSome(one: PlacedTrace, leftOut: ReadonlySet<number>): PlacedTrace {
  if (leftOut.size === 0) return one;
  const { trace, kept } = withoutSpans(unpackTrace(one.trace), (index) => leftOut.has(index));
  const firstSpans = kept.map((n) => one.firstSpans[n] as number);
  return { ...one, trace: packTrace(trace), firstSpans };
}

/** Corrects the count of segments, which was raised before it was known that some are not written. */
async function giveSegmentsBack(
  transaction: SqlRunner,
  known: readonly PlacedTrace[],
  prepared: readonly PlacedTrace[],
): Promise<void> {
  const counted = new Map(known.map(({ traceNo, trace }) => [traceNo, trace.segments.length]));
  const spare = prepared
    .map(({ traceNo, trace }) => ({
      traceNo,
      segments: (counted.get(traceNo) ?? 0) - trace.segments.length,
    }))
    .filter(({ segments }) => segments > 0);
  if (spare.length === 0) return;
  await transaction.query(
    `UPDATE agate.traces t SET segments = t.segments - n.segments
     FROM unnest($1::bigint[], $2::integer[]) AS n (trace_no, segments)
     WHERE t.trace_no = n.trace_no`,
    [spare.map(({ traceNo }) => traceNo), spare.map(({ segments }) => segments)],
  );
}

/** A span that is sent again, as it is stored. */
interface EarlierSpan {
  /** In the list of the trace's spans that were sent. */
  readonly index: number;
  readonly trace_no: number;
  readonly span_no: number;
  readonly segment: number;
}

/** Those of the spans that are stored already, by trace. */
async function earlierSpans(
  transaction: SqlRunner,
  day: number,
  traces: readonly PlacedTrace[],
): Promise<Map<number, EarlierSpan[]>> {
  const names = traces.flatMap(({ traceNo, trace }) =>
    trace.columns.map(([spanId], index) => [traceNo, spanId, index] as const),
  );
  const rows = await transaction.query<EarlierSpan>(
    `SELECT p.trace_no, p.span_no, p.segment, n.index
     FROM unnest($1::bigint[], $2::text[], $3::integer[]) AS n (trace_no, span_id, index)
     JOIN ${tableOfDay("spans", day)} p ON ${isSpan("p", "n.span_id")} AND p.trace_no = n.trace_no`,
    [names.map(([no]) => no), names.map(([, id]) => id), names.map(([, , index]) => index)],
  );
  return Map.groupBy(rows, (row) => row.trace_no);
}

/** Spans that are stored as they were sent, by trace and index; no entry for a trace without any. */
async function unchangedInDay(
  transaction: SqlRunner,
  day: number,
  traces: readonly PlacedTrace[],
  earlier: ReadonlyMap<number, readonly EarlierSpan[]>,
): Promise<Map<number, Set<number>>> {
  const unchanged = new Map<number, Set<number>>();
  for (const { traceNo, trace } of traces) {
    const segmentOf = new Map(earlier.get(traceNo)?.map(({ index, segment }) => [index, segment]));
    const wanted = [...new Set(segmentOf.values())];
    if (wanted.length === 0) continue;
    const sent = unpackTrace(trace);
    for (let at = 0; at < wanted.length; at += SEGMENTS_COMPARED) {
      const stored = await storedSegments(
        transaction,
        day,
        traceNo,
        wanted.slice(at, at + SEGMENTS_COMPARED),
      );
      const found = unchangedSpans(sent, (index) => stored.get(segmentOf.get(index) ?? -1));
      if (found.size === 0) continue;
      unchanged.set(traceNo, new Set([...(unchanged.get(traceNo) ?? []), ...found]));
    }
  }
  return unchanged;
}

async function storedSegments(
  transaction: SqlRunner,
  day: number,
  traceNo: number,
  segments: readonly number[],
): Promise<Map<number, StoredSegment>> {
  const rows = await transaction.query<{
    segment: number;
    header: Buffer<ArrayBuffer>;
    body: Buffer<ArrayBuffer>;
  }>(
    `SELECT segment, header, body FROM ${tableOfDay("segments", day)}
     WHERE trace_no = $1 AND segment = ANY($2::integer[])`,
    [traceNo, segments],
  );
  return new Map(
    rows.map(({ segment, header, body }) => [
      segment,
      { header: unpack(header).toString(), body: unpack(body) },
    ]),
  );
}

/** Takes the rows of spans away that are written anew. Their words go when their segments are indexed again. */
async function forgetReplaced(
  transaction: SqlRunner,
  day: number,
  replaced: readonly EarlierSpan[],
): Promise<void> {
  if (replaced.length === 0) return;
  await transaction.query(
    `DELETE FROM ${tableOfDay("spans", day)} p
     USING unnest($1::bigint[], $2::integer[], $3::bigint[]) AS n (trace_no, segment, span_no)
     WHERE p.trace_no = n.trace_no AND p.segment = n.segment AND p.span_no = n.span_no`,
    [
      replaced.map(({ trace_no }) => trace_no),
      replaced.map(({ segment }) => segment),
      replaced.map(({ span_no }) => span_no),
    ],
  );
}

/** For the tasks that compact segments and index them again. */
async function noteSuperseded(
  transaction: SqlRunner,
  day: number,
  segments: readonly (readonly [traceNo: number, segment: number])[],
): Promise<void> {
  if (segments.length === 0) return;
  await transaction.query(
    `INSERT INTO agate.superseded_segments (day, trace_no, segment)
     SELECT $1::date, * FROM unnest($2::bigint[], $3::integer[])`,
    [dateText(day), segments.map(([no]) => no), segments.map(([, segment]) => segment)],
  );
  const places = segments.map(([traceNo, segment]): Place => [day, traceNo, segment]);
  await transaction.query("INSERT INTO agate.unindexed (places, is_again) VALUES ($1, true)", [
    JSON.stringify(places),
  ]);
}
