import { dateText, dayOf } from "./day.ts";
import { numberSpans, SPANS_PER_BLOCK } from "./number-spans.ts";
import type { IncomingTrace, PackedAddition } from "./packed-trace.ts";
import type { SqlRunner } from "./span-database.ts";
import { summaryOfNew, TRACE_SUMMARY } from "./summarise-traces.ts";

/** A trace of a batch, and where its rows go. */
export interface PlacedTrace {
  readonly project: string;
  readonly trace: PackedAddition;
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
 * Inserts or locks the row of each trace, and reserves numbers for its segments and spans. The rows of new
 * traces hold their summaries already.
 */
export async function placeTraces(
  transaction: SqlRunner,
  incoming: readonly IncomingTrace[],
): Promise<PlacedTrace[]> {
  // In the order of arrival: of a span id that two traces share, the later one is found.
  const sizes = incoming.flatMap(({ trace }) => trace.segments.map(({ spans }) => spans.length));
  const { blocks, numbers } = numberSpans(sizes);
  const rows = incoming
    .toSorted((a, b) => compare(a.project, b.project) || compare(a.trace.traceId, b.trace.traceId))
    .map(newRow);
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
  return incoming.map(({ project, trace }): PlacedTrace => {
    const row = rowOf.get(JSON.stringify([project, trace.traceId]));
    if (row === undefined) throw new Error(`Trace ${trace.traceId} was not placed`);
    return {
      project,
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

function newRow({ project, receivedAt, trace }: IncomingTrace): (string | number | null)[] {
  const spans = trace.columns.length;
  return [
    project,
    trace.traceId,
    dateText(dayOf(receivedAt)),
    receivedAt,
    trace.segments.length,
    spans,
    spans,
    ...summaryOfNew(trace),
  ];
}
