import type { ScorePart, StoredScoreRow } from "../score-parts.ts";
import { SCORE_PART_LIMITS, scoreKeyAt, scorePartOf } from "../score-parts.ts";
import type { SqlRunner } from "./span-database.ts";

/** How many scores every project has. */
export async function countScores(runner: SqlRunner): Promise<Map<string, number>> {
  const rows = await runner.query<{ project: string; count: number }>(
    "SELECT project, count(*) AS count FROM agate.scores GROUP BY project",
  );
  return new Map(rows.map(({ project, count }) => [project, count]));
}

/** All scores as they were last put, in the order of traces. */
export async function* exportScores(
  runner: SqlRunner,
  after: string | null,
): AsyncGenerator<ScorePart, void, void> {
  for (let position = after; ; ) {
    const rows = await runner.query<StoredScoreRow>(
      `SELECT * FROM (
         SELECT c.*, sum(octet_length(record)) OVER (ORDER BY project, trace_id, score_id)
           - octet_length(record) AS bytes_before
         FROM (
           SELECT project, trace_id, score_id, span_id, name, value, label, status, created, received, record
           FROM agate.scores WHERE (project, trace_id, score_id) > ($1, $2, $3)
           ORDER BY project, trace_id, score_id LIMIT ${SCORE_PART_LIMITS.scores}
         ) AS c
       ) AS c WHERE bytes_before < ${SCORE_PART_LIMITS.bytes} ORDER BY project, trace_id, score_id`,
      scoreKeyAt(position),
    );
    const part = scorePartOf(rows);
    if (part === null) return;
    yield part;
    position = part.position;
  }
}
