import type { ScoreKey, ScorePart, StoredScoreRow } from "../score-parts.ts";
import { SCORE_PART_LIMITS, scoreKeyAt, scorePartOf } from "../score-parts.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";
import { LONG_QUERY_SETTINGS } from "./clickhouse-session.ts";

/** Rows whose keys are read at a time: a score that was put again has several until they are merged. */
const KEYS_PER_LOOK = 2 * SCORE_PART_LIMITS.scores;

const COLUMNS = [
  "project",
  "trace_id",
  "score_id",
  "span_id",
  "name",
  "value",
  "label",
  "status",
  "created",
  "received",
  "record",
] as const;

const IN_ORDER = "ORDER BY project, trace_id, score_id";
const BEHIND =
  "(project, trace_id, score_id) > ({project:String}, {traceId:String}, {scoreId:String})";

/** Counts scores, and gives them back as they were last put. */
export class ScoreExporter {
  readonly #session: ClickHouseSession;

  constructor(session: ClickHouseSession) {
    this.#session = session;
  }

  async count(): Promise<Map<string, number>> {
    const rows = await this.#session.rows<[string, number]>(
      `SELECT project, count() FROM (
         SELECT project FROM ${this.#session.table("scores")} GROUP BY project, trace_id, score_id
       ) GROUP BY project`,
      {},
      { ...LONG_QUERY_SETTINGS, optimize_aggregation_in_order: 1 },
    );
    return new Map(rows);
  }

  async *exportScores(after: string | null): AsyncGenerator<ScorePart, void, void> {
    for (let key = scoreKeyAt(after); ; ) {
      const last = await this.#endOfPart(key);
      if (last === null) return;
      const part = scorePartOf(await this.#rowsBetween(key, last));
      // Empty where they were deleted meanwhile.
      if (part !== null) yield part;
      key = last;
    }
  }

  /** The last key of the part behind a key; null at the end. Reads in the order of the table, not all of it. */
  async #endOfPart(key: ScoreKey): Promise<ScoreKey | null> {
    const rows = await this.#session.rows<[...ScoreKey, number]>(
      `SELECT project, trace_id, score_id, length(record) FROM ${this.#session.table("scores")}
       WHERE ${BEHIND} ${IN_ORDER} LIMIT ${KEYS_PER_LOOK}`,
      named(key),
    );
    let last: ScoreKey | null = null;
    let scores = 0;
    let bytes = 0;
    for (const [project, traceId, scoreId, length] of rows) {
      const isAgain = traceId === last?.[1] && scoreId === last[2] && project === last[0];
      if (!isAgain) {
        const isFull = scores === SCORE_PART_LIMITS.scores || bytes >= SCORE_PART_LIMITS.bytes;
        if (isFull || (last !== null && project !== last[0])) break;
        scores++;
        bytes += length;
      }
      last = [project, traceId, scoreId];
    }
    return last;
  }

  /** The latest writes of the scores behind a key, up to another. */
  async #rowsBetween(key: ScoreKey, [lastProject, lastTrace, lastScore]: ScoreKey) {
    const rows = await this.#session.rows<unknown[]>(
      `SELECT ${COLUMNS.join()} FROM ${this.#session.table("scores")}
       WHERE ${BEHIND} AND (project, trace_id, score_id) <= ({lastProject:String}, {lastTrace:String}, {lastScore:String})
       ${IN_ORDER}, version DESC LIMIT 1 BY project, trace_id, score_id`,
      { ...named(key), lastProject, lastTrace, lastScore },
    );
    return rows.map(
      (row) =>
        Object.fromEntries(
          COLUMNS.map((column, n) => [column, row[n]]),
        ) as unknown as StoredScoreRow,
    );
  }
}

function named([project, traceId, scoreId]: ScoreKey) {
  return { project, traceId, scoreId };
}
