import { LOGGED_CONTENT } from "../logged-content.ts";
import type { ScoreBatch, ScoreOutcome, ScoreRow, StoredScore } from "../score-store.ts";
import { committedScores, contentsAmong, spanKey, withinLimit } from "../score-store.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import type { TraceRow } from "../trace-additions.ts";
import { TraceAdditions } from "../trace-additions.ts";
import type { SpanDatabase, SqlRunner, SqlTransaction } from "./span-database.ts";

/** Whether a trace `t` has scores, which its assembled answer lacks. */
export const IS_SCORED = `EXISTS (
  SELECT FROM agate.scores c WHERE c.project = t.project AND c.trace_id = t.trace_id)`;

export async function putScores(
  database: SpanDatabase,
  { project, scores }: ScoreBatch,
): Promise<ScoreOutcome> {
  try {
    return await database.transaction(async (transaction) => {
      const traceIds = [...new Set(scores.map(({ traceId }) => traceId))];
      await noteChange(transaction, project, traceIds);
      const known = await knownScores(transaction, project, traceIds, scores);
      const { kept, rejected } = withinLimit(scores, known);
      await insertScores(transaction, project, kept);
      await noteLogged(transaction, project, kept);
      return committedScores(rejected);
    });
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    return { kind: "unavailable", reason: error.reason };
  }
}

/** Those who watch are told of the traces. Locked in order: two servers may judge the same traces. */
async function noteChange(
  transaction: SqlTransaction,
  project: string,
  traceIds: readonly string[],
): Promise<void> {
  await transaction.query(
    `WITH judged AS (
       SELECT trace_no FROM agate.traces WHERE project = $1 AND trace_id = ANY($2::text[])
       ORDER BY trace_id FOR UPDATE
     )
     UPDATE agate.traces t SET changed = pg_current_xact_id() FROM judged WHERE t.trace_no = judged.trace_no`,
    [project, traceIds],
  );
}

async function knownScores(
  transaction: SqlTransaction,
  project: string,
  traceIds: readonly string[],
  scores: readonly StoredScore[],
) {
  const counts = await transaction.query<{ trace_id: string; count: number }>(
    `SELECT trace_id, count(*) AS count FROM agate.scores
     WHERE project = $1 AND trace_id = ANY($2::text[]) GROUP BY trace_id`,
    [project, traceIds],
  );
  const sent = await transaction.query<{ score_id: string }>(
    `SELECT score_id FROM agate.scores
     WHERE project = $1 AND trace_id = ANY($2::text[]) AND score_id = ANY($3::text[])`,
    [project, traceIds, scores.map(({ id }) => id)],
  );
  return {
    counts: new Map(counts.map(({ trace_id, count }) => [trace_id, count])),
    ids: new Set(sent.map(({ score_id }) => score_id)),
    contentBytes: await contentBytesOf(transaction, project, contentsAmong(scores)),
  };
}

async function contentBytesOf(
  transaction: SqlTransaction,
  project: string,
  contents: readonly StoredScore[],
): Promise<ReadonlyMap<string, number>> {
  if (contents.length === 0) return new Map();
  const rows = await transaction.query<{ trace_id: string; span_id: string; bytes: number }>(
    `SELECT trace_id, span_id, sum(octet_length(record)) AS bytes FROM agate.scores
     WHERE project = $1 AND trace_id = ANY($2::text[]) AND span_id = ANY($3::text[])
       AND name = '${LOGGED_CONTENT}'
     GROUP BY trace_id, span_id`,
    [project, contents.map(({ traceId }) => traceId), contents.map(({ spanId }) => spanId ?? "")],
  );
  return new Map(rows.map(({ trace_id, span_id, bytes }) => [spanKey(trace_id, span_id), bytes]));
}

async function insertScores(
  transaction: SqlTransaction,
  project: string,
  kept: readonly StoredScore[],
): Promise<void> {
  // In one order everywhere, so that two servers with the same scores do not wait for each other.
  const scores = kept.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  await transaction.query(
    `INSERT INTO agate.scores
       (project, trace_id, score_id, span_id, name, value, label, status, created, received, record)
     SELECT $1, n.* FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::float8[], $7::text[],
       $8::text[], $9::bigint[], $10::bigint[], $11::text[]) AS n
     ON CONFLICT (project, trace_id, score_id) DO UPDATE
     SET (span_id, name, value, label, status, created, received, record) =
       (excluded.span_id, excluded.name, excluded.value, excluded.label, excluded.status, excluded.created,
        excluded.received, excluded.record)`,
    [
      project,
      scores.map(({ traceId }) => traceId),
      scores.map(({ id }) => id),
      scores.map(({ spanId }) => spanId ?? ""),
      scores.map(({ name }) => name),
      scores.map(({ value }) => value),
      scores.map(({ label }) => label),
      scores.map(({ status }) => status),
      scores.map(({ createdAt }) => createdAt),
      scores.map(({ receivedAt }) => receivedAt),
      scores.map(({ record }) => record),
    ],
  );
}

/** Leaves spans to be indexed with their logged content. Whether they are there is seen when that is done. */
async function noteLogged(
  transaction: SqlTransaction,
  project: string,
  kept: readonly StoredScore[],
): Promise<void> {
  const logged = contentsAmong(kept);
  if (logged.length === 0) return;
  await transaction.query(
    `INSERT INTO agate.unindexed_contents (project, trace_id, span_id)
     SELECT DISTINCT $1::text, n.trace_id, n.span_id FROM unnest($2::text[], $3::text[]) AS n (trace_id, span_id)`,
    [project, logged.map(({ traceId }) => traceId), logged.map(({ spanId }) => spanId ?? "")],
  );
}

function keyOf({ traceId, id }: StoredScore): string {
  return `${traceId} ${id}`;
}

/** Null where the trace has none. */
export async function additionsOfTrace(
  runner: SqlRunner,
  project: string,
  traceId: string,
): Promise<TraceAdditions | null> {
  const isContent = `name = '${LOGGED_CONTENT}'`;
  const rows = await runner.query<TraceRow>(
    `SELECT span_id, CASE WHEN ${isContent} THEN '' ELSE record END AS record,
       CASE WHEN ${isContent} THEN octet_length(record) END AS content_bytes
     FROM agate.scores WHERE project = $1 AND trace_id = $2 ORDER BY created, score_id`,
    [project, traceId],
    "additions-of-trace",
  );
  if (rows.length === 0) return null;
  return new TraceAdditions(rows, (spanIds) => contentOfSpans(runner, project, traceId, spanIds));
}

/** The logged content of spans of a trace. */
export function contentOfSpans(
  runner: SqlRunner,
  project: string,
  traceId: string,
  spanIds: readonly string[],
): Promise<readonly ScoreRow[]> {
  return runner.query<ScoreRow>(
    `SELECT span_id, record FROM agate.scores
     WHERE project = $1 AND trace_id = $2 AND span_id = ANY($3::text[]) AND name = '${LOGGED_CONTENT}'
     ORDER BY created, score_id`,
    [project, traceId, spanIds],
    "content-of-spans",
  );
}
