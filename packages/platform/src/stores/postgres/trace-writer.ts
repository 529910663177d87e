import type { BatchToWrite, TraceToWrite } from "../segments/segment-encoder.ts";
import type { StoredSegment, TraceAddition } from "../segments/sent-again.ts";
import { unchangedSpans, withoutSpans } from "../segments/sent-again.ts";
import { beyondLimit } from "../span-limit.ts";
import type { RejectedSpan } from "../span-store.ts";
import type { SpanColumns } from "../summary/summary-columns.ts";
import { canDeferSummary } from "../summary/summary-pacer.ts";
import { CopyRows } from "./copy-rows.ts";
import { dateText, dayOf, tableOfDay } from "./day.ts";
import { numberSpans, SPANS_PER_BLOCK } from "./number-spans.ts";
import { pack, unpack } from "./read-segments.ts";
import type { SqlRunner, SqlTransaction } from "./span-database.ts";
import type { TraceToSummarise } from "./summarise-traces.ts";
import { summariseTraces, summaryOfNew, TRACE_SUMMARY } from "./summarise-traces.ts";
import { UnindexedPlaces } from "./unindexed-places.ts";

/** Stored segments that are in memory at a time, to be compared with what is sent again. */
const SEGMENTS_COMPARED = 64;

/** A span that was not written, since its trace is full. */
export interface RejectedInProject extends RejectedSpan {
  readonly project: string;
}

/** A trace of a batch, and where its rows go. */
interface PlacedTrace {
  readonly project: string;
  readonly trace: TraceAddition;
  readonly traceNo: number;
  readonly day: number;
  readonly firstSegment: number;
  /** The number of the first span of each of its segments. */
  readonly firstSpans: readonly number[];
  readonly isNew: boolean;
  /** Before this batch; once it is prepared, after it. */
  readonly spans: number;
  readonly summarised: number;
}

interface UpsertedRow {
  readonly project: string;
  readonly trace_id: string;
  readonly trace_no: number;
  readonly day: number;
  readonly segments: number;
  readonly spans: number;
  readonly summarised: number;
  readonly is_new: boolean;
  /** In one of the rows. */
  readonly blocks: Float64Array | null;
}

/** The columns of a row of `traces`, with their types, in the order of {@link newRow}. */
const NEW_TRACE = [
  ["project", "text"],
  ["trace_id", "text"],
  ["day", "date"],
  ["received", "bigint"],
  ["segments", "integer"],
  ["spans", "integer"],
  ["summarised", "integer"],
  ...TRACE_SUMMARY,
] as const;

const NAMES = NEW_TRACE.map(([name]) => name).join(", ");
const ARRAYS = NEW_TRACE.map(([, type], n) => `$${n + 1}::${type}[]`).join(", ");
const BLOCKS = `$${NEW_TRACE.length + 1}`;

// Rows are locked in a fixed order: transactions that lock the same traces in the same order cannot
// deadlock.
const UPSERT = `
  WITH numbers AS MATERIALIZED (
    SELECT array_agg(nextval('agate.span_blocks')::float8) AS blocks
    FROM generate_series(1, ${BLOCKS}::integer)
  ), upserted AS (
    INSERT INTO agate.traces AS t (${NAMES})
    SELECT * FROM unnest(${ARRAYS})
    ON CONFLICT (project, trace_id) DO UPDATE
    SET received = greatest(t.received, excluded.received),
      segments = t.segments + excluded.segments,
      changed = pg_current_xact_id()
    RETURNING t.project, t.trace_id, t.trace_no, t.day, t.segments, t.spans, t.summarised,
      t.created = pg_current_xact_id() AS is_new
  )
  SELECT upserted.*, CASE WHEN row_number() OVER () = 1 THEN blocks END AS blocks
  FROM upserted, numbers`;

/**
 * Writes batches inside a transaction. The first statement locks the rows of their traces, so that no other
 * transaction changes these traces until the commit.
 *
 * @param batches Each trace at most once.
 * @returns The spans that their traces have no room for.
 */
export async function writeTraces(
  transaction: SqlTransaction,
  batches: readonly BatchToWrite[],
  maxSpansPerTrace: number,
): Promise<RejectedInProject[]> {
  const placed = await placeTraces(transaction, batches);
  const rejected: RejectedInProject[] = [];
  // A new trace of more spans than one may have was placed as a whole: it is cut like a known one.
  const isWhole = ({ isNew, trace }: PlacedTrace) =>
    isNew && trace.columns.length <= maxSpansPerTrace;
  const fresh = placed.filter(isWhole);
  const known = await prepareKnown(
    transaction,
    placed.filter((one) => !isWhole(one)),
    maxSpansPerTrace,
    rejected,
  );
  await writeRows(transaction, [...fresh, ...known]);
  await countSpans(
    transaction,
    known.filter(({ trace }) => trace.columns.length > 0),
  );
  return rejected;
}

/** Notes how many spans traces have now, and makes the summaries that are due. */
async function countSpans(
  transaction: SqlTransaction,
  changed: readonly PlacedTrace[],
): Promise<void> {
  if (changed.length === 0) return;
  // The row of a new trace was made from spans that were left out.
  const isDue = (one: PlacedTrace) => one.isNew || !canDeferSummary(one);
  const [waiting, due] = [changed.filter((one) => !isDue(one)), changed.filter(isDue)];
  if (waiting.length > 0) {
    await transaction.query(
      `UPDATE agate.traces t SET spans = n.spans, summarised = n.summarised
       FROM unnest($1::bigint[], $2::integer[], $3::integer[]) AS n (trace_no, spans, summarised)
       WHERE t.trace_no = n.trace_no`,
      [
        waiting.map(({ traceNo }) => traceNo),
        waiting.map(({ spans }) => spans),
        waiting.map(({ summarised }) => summarised),
      ],
    );
  }
  await summariseTraces(
    transaction,
    due.map(({ traceNo, day }): TraceToSummarise => ({ traceNo, day })),
  );
}

/**
 * Leaves out what is stored already or has no room, and takes the rows of spans away that are written
 * anew.
 *
 * @param rejected Gets the spans that have no room.
 * @returns The traces as they are then, with how many spans they have and of how many their summary knows.
 */
async function prepareKnown(
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
  const { trace, kept } = withoutSpans(one.trace, (index) => leftOut.has(index));
  const firstSpans = kept.map((n) => one.firstSpans[n] as number);
  return { ...one, trace, firstSpans };
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

async function placeTraces(
  transaction: SqlRunner,
  batches: readonly BatchToWrite[],
): Promise<PlacedTrace[]> {
  const given = batches.flatMap((batch) => batch.traces.map((trace) => ({ batch, trace })));
  // In the order of arrival: of a span id that two traces share, the later one is found.
  const sizes = given.flatMap(({ trace }) => trace.segments.map(({ spans }) => spans.length));
  const { blocks, numbers } = numberSpans(sizes);
  const rows = given
    .toSorted(
      (a, b) =>
        compare(a.batch.project, b.batch.project) || compare(a.trace.traceId, b.trace.traceId),
    )
    .map(({ batch, trace }) => newRow(batch, trace));
  const columns = NEW_TRACE.map((_, n) => rows.map((row) => row[n] ?? null));
  const upserted = await transaction.query<UpsertedRow>(
    UPSERT,
    [...columns, blocks],
    "upsert-traces",
  );
  const blockNos = upserted.find((row) => row.blocks !== null)?.blocks;
  const firstSpans = numbers.map(
    ({ block, offset }) => (blockNos?.[block] ?? Number.NaN) * SPANS_PER_BLOCK + offset,
  );
  const rowOf = new Map(upserted.map((row) => [JSON.stringify([row.project, row.trace_id]), row]));
  return given.map(({ batch, trace }): PlacedTrace => {
    const row = rowOf.get(JSON.stringify([batch.project, trace.traceId]));
    if (row === undefined) throw new Error(`Trace ${trace.traceId} was not placed`);
    return {
      project: batch.project,
      trace,
      traceNo: row.trace_no,
      day: row.day,
      firstSegment: row.segments - trace.segments.length,
      firstSpans: firstSpans.splice(0, trace.segments.length),
      isNew: row.is_new,
      spans: row.spans,
      summarised: row.summarised,
    };
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function newRow(batch: BatchToWrite, trace: TraceToWrite): (string | number | null)[] {
  const spans = trace.columns.length;
  return [
    batch.project,
    trace.traceId,
    dateText(dayOf(batch.receivedAt)),
    batch.receivedAt,
    trace.segments.length,
    spans,
    spans,
    ...summaryOfNew(trace),
  ];
}

/** A span that is sent again, as it is stored. */
interface EarlierSpan {
  /** In the list of the trace's spans that were sent. */
  readonly index: number;
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
  const rows = await transaction.query<EarlierSpan & { trace_no: number }>(
    `SELECT p.trace_no, p.span_no, p.segment, n.index
     FROM unnest($1::bigint[], $2::text[], $3::integer[]) AS n (trace_no, span_id, index)
     JOIN ${tableOfDay("spans", day)} p ON p.span_id = n.span_id AND p.trace_no = n.trace_no`,
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
    for (let at = 0; at < wanted.length; at += SEGMENTS_COMPARED) {
      const stored = await storedSegments(
        transaction,
        day,
        traceNo,
        wanted.slice(at, at + SEGMENTS_COMPARED),
      );
      const found = unchangedSpans(trace, (index) => stored.get(segmentOf.get(index) ?? -1));
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

/** Takes the rows of spans away that are written anew, and their words. */
async function forgetReplaced(
  transaction: SqlRunner,
  day: number,
  replaced: readonly EarlierSpan[],
): Promise<void> {
  if (replaced.length === 0) return;
  const spanNos = replaced.map(({ span_no }) => span_no);
  for (const table of ["spans", "texts", "long_texts"]) {
    await transaction.query(
      `DELETE FROM ${tableOfDay(table, day)} WHERE span_no = ANY($1::bigint[])`,
      [spanNos],
    );
  }
}

/** Read by the maintenance task that compacts segments. */
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
}

async function writeRows(
  transaction: SqlTransaction,
  placed: readonly PlacedTrace[],
): Promise<void> {
  const segments = new CopyRows();
  const spans = new CopyRows();
  const unindexed = new UnindexedPlaces();
  for (const { project, trace, traceNo, day, firstSegment, firstSpans } of placed) {
    for (const [n, { header, body, spans: indices }] of trace.segments.entries()) {
      const segment = firstSegment + n;
      let spanNo = firstSpans[n] as number;
      unindexed.add(indices.length, [day, traceNo, segment]);
      segments.row(7).date(day).int8(traceNo).int4(segment).int8(spanNo).int4(indices.length);
      segments.bytes(pack(Buffer.from(header))).bytes(pack(body));
      for (const index of indices) {
        spans.row(20).date(day).int8(spanNo++).int8(traceNo).int4(segment);
        writeColumns(spans, project, trace.columns[index] as SpanColumns);
      }
    }
  }
  await transaction.copy(
    "agate.segments (day, trace_no, segment, first_span, spans, header, body)",
    segments,
  );
  await transaction.copy(
    `agate.spans (day, span_no, trace_no, segment, span_id, project, start, start_nanos, latency, name, spankind,
       status, application, route, variant, revision, environment, user_id, session_id, cost)`,
    spans,
  );
  await transaction.query("INSERT INTO agate.unindexed (places) SELECT unnest($1::text[])", [
    unindexed.rows(),
  ]);
}

function writeColumns(rows: CopyRows, project: string, columns: SpanColumns): void {
  const [spanId, start, startNanos, latency, name, kind, status, ...rest] = columns;
  const [application, route, variant, revision, environment, userId, sessionId, cost] = rest;
  rows.text(spanId).text(project).int8(start).int2(startNanos).float8(latency).text(name);
  rows.text(kind).text(status);
  rows.text(application).text(route).text(variant).int8(revision).text(environment);
  rows.text(userId).text(sessionId).float8(cost);
}
