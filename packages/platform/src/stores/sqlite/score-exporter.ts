import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ScorePart, StoredScoreRow } from "../score-parts.ts";
import { SCORE_PART_LIMITS, scoreKeyAt, scorePartOf } from "../score-parts.ts";

/** Counts scores, and gives them back as they were put. */
export class ScoreExporter {
  readonly #after: StatementSync;
  readonly #counts: StatementSync;

  constructor(db: DatabaseSync) {
    this.#after = db.prepare(
      `SELECT project, trace_id, score_id, span_id, name, value, label, status, created, received, record
       FROM scores WHERE (project, trace_id, score_id) > (?, ?, ?)
       ORDER BY project, trace_id, score_id LIMIT ${SCORE_PART_LIMITS.scores}`,
    );
    this.#counts = db.prepare("SELECT project, count(*) AS count FROM scores GROUP BY project");
  }

  /** The part after a position; null at the end. */
  partAfter(position: string | null): ScorePart | null {
    const rows: StoredScoreRow[] = [];
    let bytes = 0;
    for (const found of this.#after.iterate(...scoreKeyAt(position))) {
      const row = found as unknown as StoredScoreRow;
      rows.push(row);
      bytes += Buffer.byteLength(row.record);
      if (bytes >= SCORE_PART_LIMITS.bytes) break;
    }
    return scorePartOf(rows);
  }

  count(): Map<string, number> {
    const rows = this.#counts.all() as unknown as { project: string; count: number }[];
    return new Map(rows.map(({ project, count }) => [project, count]));
  }
}
