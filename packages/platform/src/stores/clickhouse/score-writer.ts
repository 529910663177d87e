import { LOGGED_CONTENT } from "../logged-content.ts";
import type { ScoreBatch, ScoreOutcome, StoredScore } from "../score-store.ts";
import { committedScores, contentsAmong, spanKey, withinLimit } from "../score-store.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import { VersionClock } from "./clickhouse-appender.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";
import { LoggedWords } from "./logged-words.ts";

const COLUMNS = [
  "project",
  "trace_id",
  "score_id",
  "version",
  "received",
  "span_id",
  "name",
  "value",
  "label",
  "status",
  "created",
  "record",
] as const;

/** Writes scores. Of two writes of a score, the later one is read, though the clocks of servers may differ. */
export class ScoreWriter {
  readonly #session: ClickHouseSession;
  readonly #loggedWords: LoggedWords;
  readonly #clock = new VersionClock();

  constructor(session: ClickHouseSession) {
    this.#session = session;
    this.#loggedWords = new LoggedWords(session);
  }

  async put({ project, scores }: ScoreBatch): Promise<ScoreOutcome> {
    try {
      const traceIds = [...new Set(scores.map(({ traceId }) => traceId))];
      const ids = scores.map(({ id }) => id);
      const { newest, ...known } = await this.#known(project, traceIds, ids);
      const contentBytes = await this.#contentBytes(project, contentsAmong(scores));
      const { kept, rejected } = withinLimit(scores, { ...known, contentBytes });
      const version = Math.max(this.#clock.next(), newest + 1);
      await this.#session.insert(
        "scores",
        COLUMNS,
        kept.map((score) => [
          project,
          score.traceId,
          score.id,
          version,
          score.receivedAt,
          score.spanId ?? "",
          score.name,
          score.value,
          score.label,
          score.status,
          score.createdAt,
          score.record,
        ]),
      );
      await this.#loggedWords.addContent(project, loggedSpansOf(kept));
      return committedScores(rejected);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      return { kind: "unavailable", reason: error.reason };
    }
  }

  async #contentBytes(
    project: string,
    contents: readonly StoredScore[],
  ): Promise<ReadonlyMap<string, number>> {
    if (contents.length === 0) return new Map();
    const rows = await this.#session.rows<[string, string, number]>(
      `SELECT trace_id, span_id, sum(bytes) FROM (
         SELECT trace_id, span_id, argMax(length(record), version) AS bytes
         FROM ${this.#session.table("scores")}
         WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}
           AND span_id IN {spanIds:Array(String)} AND name = '${LOGGED_CONTENT}'
         GROUP BY trace_id, span_id, score_id
       ) GROUP BY trace_id, span_id`,
      {
        project,
        traceIds: [...new Set(contents.map(({ traceId }) => traceId))],
        spanIds: [...new Set(contents.map(({ spanId }) => spanId ?? ""))],
      },
    );
    return new Map(rows.map(([traceId, spanId, bytes]) => [spanKey(traceId, spanId), bytes]));
  }

  async #known(project: string, traceIds: readonly string[], ids: readonly string[]) {
    const rows = await this.#session.rows<[string, number, string[], number]>(
      `SELECT trace_id, uniqExact(score_id), groupUniqArrayIf(score_id, score_id IN {ids:Array(String)}), max(version)
       FROM ${this.#session.table("scores")}
       WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)} GROUP BY trace_id`,
      { project, traceIds, ids },
    );
    return {
      counts: new Map(rows.map(([traceId, count]) => [traceId, count])),
      ids: new Set(rows.flatMap(([, , sent]) => sent)),
      newest: rows.reduce((newest, [, , , version]) => Math.max(newest, version), 0),
    };
  }
}

function loggedSpansOf(scores: readonly StoredScore[]) {
  return contentsAmong(scores).flatMap(({ traceId, spanId }) =>
    spanId === null ? [] : [{ traceId, spanId }],
  );
}
