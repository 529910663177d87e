import type { BatchToWrite, SpanColumns, TraceToWrite } from "../segments/batch-encoder.ts";
import { mayWait } from "../summary/may-wait.ts";
import { CopyRows } from "./copy-rows.ts";
import { dateText, dayOf, tableOfDay } from "./day.ts";
import { numberSpans, SPANS_PER_BLOCK } from "./number-spans.ts";
import { pack } from "./packed-bytes.ts";
import type { SqlRunner, SqlTransaction, SqlValue } from "./span-database.ts";
import type { TraceToSummarise } from "./summarise-traces.ts";
import { summariseTraces } from "./summarise-traces.ts";
import { summaryOfNew, TRACE_SUMMARY } from "./trace-summary.ts";
import { UnindexedPlaces } from "./unindexed-places.ts";

/** A trace of a batch, and where its rows go. */
interface PlacedTrace {
  readonly project: string;
  readonly trace: TraceToWrite;
  readonly traceNo: number;
  readonly day: number;
  readonly firstSegment: number;
  /** The number of the first span of each of its segments. */
  readonly firstSpans: readonly number[];
  readonly isNew: boolean;
  /** Before this batch. */
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

// In the order in which they are given: two transactions that lock the same traces in the same order
// never wait for each other.
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
 * Writes batches inside a transaction. The rows of their traces are locked from the first statement
 * on, so that whatever follows sees these traces as nobody else changes them.
 *
 * @param batches Each trace at most once.
 */
export async function writeTraces(
  transaction: SqlTransaction,
  batches: readonly BatchToWrite[],
): Promise<void> {
  const placed = await placeTraces(transaction, batches);
  const known = placed.filter(({ isNew }) => !isNew);
  const replaced = await forgetReplaced(transaction, known);
  await writeRows(transaction, placed);
  if (known.length === 0) return;
  const grown = known.map((one) => {
    const sentAgain = replaced.get(one.traceNo) ?? 0;
    return {
      ...one,
      spans: one.spans + one.trace.columns.length - sentAgain,
      summarised: Math.max(0, one.summarised - sentAgain),
    };
  });
  const [waiting, due] = [grown.filter(mayWait), grown.filter((one) => !mayWait(one))];
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

/**
 * Takes the rows of spans away that are written anew.
 *
 * @returns How many there were, by trace.
 */
async function forgetReplaced(
  transaction: SqlRunner,
  known: readonly PlacedTrace[],
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (const [day, traces] of Map.groupBy(known, (one) => one.day)) {
    const names = traces.flatMap(({ traceNo, trace }) =>
      trace.columns.map(([spanId]) => [traceNo, spanId] as const),
    );
    const gone = await transaction.query<{ span_no: number; trace_no: number }>(
      `DELETE FROM ${tableOfDay("spans", day)} p
       USING unnest($1::bigint[], $2::text[]) AS n (trace_no, span_id)
       WHERE p.span_id = n.span_id AND p.trace_no = n.trace_no
       RETURNING p.span_no, p.trace_no`,
      [names.map(([traceNo]) => traceNo), names.map(([, spanId]) => spanId)],
    );
    if (gone.length === 0) continue;
    for (const { trace_no } of gone) counts.set(trace_no, (counts.get(trace_no) ?? 0) + 1);
    const spanNos: SqlValue = gone.map(({ span_no }) => span_no);
    for (const table of ["texts", "long_texts"]) {
      await transaction.query(
        `DELETE FROM ${tableOfDay(table, day)} WHERE span_no = ANY($1::bigint[])`,
        [spanNos],
      );
    }
  }
  return counts;
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
