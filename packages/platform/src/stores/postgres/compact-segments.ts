import { blankSegment, entriesToKeep } from "../segments/compact-segment.ts";
import type { PlacedEntry } from "../segments/segment.ts";
import { DamagedSegmentError, decodeHeader } from "../segments/segment.ts";
import { tableOfDay } from "./day.ts";
import { isSpan } from "./filter-sql.ts";
import { pack, unpack } from "./read-segments.ts";
import type { SpanDatabase, SqlRunner } from "./span-database.ts";

/** When segments are compacted. */
export interface CompactionRule {
  /** How long ago records must have been superseded: no list that has their places is under way then. */
  readonly afterMs: number;
  /** How much of a segment must be superseded. */
  readonly fromBytes?: number | undefined;
}

export const COMPACT_AFTER_MS = 60_000;
/** Rewritten in one transaction, during which writers of the trace wait: at most about 2 MiB. */
const SEGMENTS_PER_STEP = 16;

interface Trace {
  readonly trace_no: number;
  readonly trace_id: string;
  readonly day: number;
}

interface HeaderRow {
  readonly segment: number;
  readonly header: Buffer<ArrayBuffer>;
}

/**
 * Rewrites some segments of a trace without the records that later ones have superseded, where that pays.
 * Servers skip traces that another one has locked.
 *
 * @param except Traces to skip.
 * @param onTaken Told which trace it is.
 * @returns False when there was nothing to look at.
 */
export function compactSome(
  database: SpanDatabase,
  { afterMs, fromBytes }: CompactionRule,
  except: readonly number[],
  onTaken: (traceNo: number) => void,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    // Until the summary of a large trace is made again, it names a top that may be superseded.
    const [trace] = await transaction.query<Trace>(
      `SELECT t.trace_no, t.trace_id, t.day FROM agate.superseded_segments c
       JOIN agate.traces t ON t.trace_no = c.trace_no
       WHERE c.since <= now() - make_interval(secs => $1) AND t.trace_no <> ALL($2::bigint[])
         AND t.summarised >= t.spans
       ORDER BY c.since LIMIT 1 FOR NO KEY UPDATE OF t SKIP LOCKED`,
      [afterMs / 1_000, except],
    );
    if (trace === undefined) return false;
    onTaken(trace.trace_no);
    const taken = await transaction.query<{ segment: number }>(
      `DELETE FROM agate.superseded_segments WHERE superseded_no IN (
         SELECT superseded_no FROM agate.superseded_segments
         WHERE trace_no = $1 AND since <= now() - make_interval(secs => $2)
         ORDER BY superseded_no LIMIT ${SEGMENTS_PER_STEP}
       ) RETURNING segment`,
      [trace.trace_no, afterMs / 1_000],
    );
    const segments = [...new Set(taken.map(({ segment }) => segment))];
    await compact(transaction, trace, segments, fromBytes);
    return true;
  });
}

async function compact(
  transaction: SqlRunner,
  trace: Trace,
  segments: readonly number[],
  fromBytes: number | undefined,
): Promise<void> {
  const rows = await transaction.query<HeaderRow>(
    `SELECT segment, header FROM ${tableOfDay("segments", trace.day)}
     WHERE trace_no = $1 AND segment = ANY($2::integer[])`,
    [trace.trace_no, segments],
  );
  for (const { segment, header: packed } of rows) {
    try {
      const header = unpack(packed).toString();
      const superseded = await supersededIds(transaction, trace, segment, header);
      const isCurrent = ({ id }: PlacedEntry) => !superseded.has(id);
      const kept = entriesToKeep(header, segment, isCurrent, fromBytes);
      if (kept !== undefined) await rewrite(transaction, trace, { segment, header }, kept);
    } catch (error) {
      // It stays as it is: reads of the trace report it.
      if (!(error instanceof DamagedSegmentError)) throw error;
    }
  }
}

/** The spans of a segment that are stored in a later one. A span whose row was lost keeps its record. */
async function supersededIds(
  transaction: SqlRunner,
  { trace_no, day }: Trace,
  segment: number,
  header: string,
): Promise<ReadonlySet<string>> {
  const rows = await transaction.query<{ span_id: string }>(
    `SELECT p.span_id FROM unnest($1::text[]) AS n (span_id)
     JOIN ${tableOfDay("spans", day)} p ON ${isSpan("p", "n.span_id")}
       AND p.trace_no = $2 AND p.segment > $3`,
    [decodeHeader(header, segment).map(({ id }) => id), trace_no, segment],
  );
  return new Set(rows.map(({ span_id }) => span_id));
}

async function rewrite(
  transaction: SqlRunner,
  { trace_no, trace_id, day }: Trace,
  { segment, header }: { readonly segment: number; readonly header: string },
  kept: readonly PlacedEntry[],
): Promise<void> {
  const table = tableOfDay("segments", day);
  let before = new Uint8Array();
  if (kept.length > 0) {
    const [row] = await transaction.query<{ body: Buffer<ArrayBuffer> }>(
      `SELECT body FROM ${table} WHERE trace_no = $1 AND segment = $2`,
      [trace_no, segment],
    );
    if (row === undefined) return;
    before = unpack(row.body);
  }
  const after = blankSegment({ header, body: before }, kept, trace_id);
  await transaction.query(
    `UPDATE ${table} SET header = decode($3, 'hex'), body = decode($4, 'hex'), answer_sum = NULL
     WHERE trace_no = $1 AND segment = $2`,
    [trace_no, segment, hexOf(pack(Buffer.from(after.header))), hexOf(pack(after.body))],
  );
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
