import type { DeleteOutcome } from "../span-store.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import { dateText, dayOf, tableOfDay } from "./day.ts";
import { dropDay } from "./day-tables.ts";
import { deleteTexts } from "./segment-texts.ts";
import type { SpanDatabase } from "./span-database.ts";

/** How many segments one step frees: few, so that no other transaction waits long. */
const SEGMENTS_PER_STEP = 50;

interface DeletedTrace {
  readonly trace_no: number;
  readonly day: number;
}

/**
 * Deletes a trace: at once out of sight (the row in `traces` goes, and every read starts there),
 * later, in steps, out of the tables; see {@link freeSome}.
 */
export async function deleteTrace(
  database: SpanDatabase,
  project: string,
  traceId: string,
): Promise<DeleteOutcome> {
  try {
    const rows = await database.query(
      `WITH gone AS (
         DELETE FROM agate.traces WHERE project = $1 AND trace_id = $2 RETURNING trace_no, day
       ), judgements AS (
         DELETE FROM agate.scores WHERE project = $1 AND trace_id = $2 RETURNING 1
       ), noted AS (
         INSERT INTO agate.deleted_traces (trace_no, day, has_expired)
         SELECT trace_no, day, false FROM gone RETURNING trace_no
       )
       SELECT 1 FROM noted UNION ALL SELECT 1 FROM judgements`,
      [project, traceId],
    );
    return rows.length > 0 ? { kind: "deleted" } : { kind: "missing" };
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    return { kind: "unavailable", reason: error.reason };
  }
}

/**
 * Deletes the oldest traces by arrival, likewise. Their rows stay until all traces of their day are gone,
 * and are dropped with its tables: that is free, whereas deleting rows one by one costs as much as writing
 * them. Servers skip each other's locks: a trace that a writer has locked has just grown and is not old any
 * more; one that is being indexed or summarised is taken by the next round of retention.
 *
 * @returns How many were deleted.
 */
export async function expireTraces(
  database: SpanDatabase,
  receivedBefore: number,
  limit: number,
): Promise<number> {
  // A transaction, because it is run again after a conflict with a writer.
  return database.transaction(async (transaction) => {
    const gone = await transaction.query<DeletedTrace>(
      `WITH old AS (
         SELECT trace_no FROM agate.traces WHERE received < $1 ORDER BY received LIMIT $2
         FOR UPDATE SKIP LOCKED
       ), gone AS (
         DELETE FROM agate.traces WHERE trace_no IN (SELECT trace_no FROM old)
         RETURNING trace_no, day, project, trace_id
       ), judgements AS (
         DELETE FROM agate.scores c USING gone g
         WHERE c.project = g.project AND c.trace_id = g.trace_id
       )
       INSERT INTO agate.deleted_traces (trace_no, day, has_expired)
       SELECT trace_no, day, true FROM gone RETURNING trace_no, day`,
      [receivedBefore, limit],
    );
    const orphans = await transaction.query(
      `DELETE FROM agate.scores WHERE (project, trace_id, score_id) IN (
         SELECT project, trace_id, score_id FROM agate.scores c WHERE received < $1
           AND NOT EXISTS (
             SELECT FROM agate.traces t WHERE t.project = c.project AND t.trace_id = c.trace_id)
         ORDER BY received LIMIT $2 FOR UPDATE SKIP LOCKED
       ) RETURNING 1`,
      [receivedBefore, limit],
    );
    if (gone.length > 0) {
      // Traces that keep growing keep their day for long: the day's other traces are then freed one by one.
      await transaction.query(
        "UPDATE agate.deleted_traces SET has_expired = false WHERE has_expired AND day < $1",
        [dateText(dayOf(receivedBefore) - 2)],
      );
    }
    return gone.length + orphans.length;
  });
}

/** Drops days whose traces have all expired. @throws The first failure, after all days were tried. */
export async function dropEmptyDays(database: SpanDatabase): Promise<void> {
  const failures: unknown[] = [];
  for (let after = "-infinity"; ; ) {
    const [next] = await database.query<{ day: number; is_empty: boolean }>(
      `SELECT d.day, NOT EXISTS (SELECT FROM agate.traces t WHERE t.day = d.day) AS is_empty
       FROM agate.deleted_traces d WHERE d.day > $1 ORDER BY d.day LIMIT 1`,
      [after],
    );
    if (next === undefined) break;
    try {
      if (next.is_empty) await dropDay(database, next.day);
    } catch (error) {
      // For example, a user's own view depends on this day's table.
      if (error instanceof StoreUnavailableError) throw error;
      failures.push(error);
    }
    after = dateText(next.day);
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Frees some rows of a trace that was deleted.
 *
 * @param except Traces that are left alone.
 * @param onTaken Told which trace it is.
 * @returns False when nothing was left to free.
 */
export function freeSome(
  database: SpanDatabase,
  except: readonly number[],
  onTaken: (traceNo: number) => void,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const [trace] = await transaction.query<DeletedTrace>(
      `SELECT trace_no, day FROM agate.deleted_traces
       WHERE NOT has_expired AND trace_no <> ALL($1::bigint[])
       ORDER BY trace_no LIMIT 1 FOR UPDATE SKIP LOCKED`,
      [except],
    );
    if (trace === undefined) return false;
    const { trace_no, day } = trace;
    onTaken(trace_no);
    const segments = tableOfDay("segments", day);
    const gone = await transaction.query<{ segment: number; first_span: number; spans: number }>(
      `DELETE FROM ${segments} WHERE trace_no = $1 AND segment IN (
         SELECT segment FROM ${segments} WHERE trace_no = $1 ORDER BY segment LIMIT $2
       ) RETURNING segment, first_span, spans`,
      [trace_no, SEGMENTS_PER_STEP],
    );
    if (gone.length === 0) {
      for (const table of ["unindexable", "superseded_segments", "deleted_traces"]) {
        await transaction.query(`DELETE FROM agate.${table} WHERE trace_no = $1`, [trace_no]);
      }
      return true;
    }
    await transaction.query(
      `DELETE FROM ${tableOfDay("spans", day)} WHERE trace_no = $1 AND segment = ANY($2::integer[])`,
      [trace_no, gone.map(({ segment }) => segment)],
    );
    await deleteTexts(transaction, day, gone);
    return true;
  });
}
