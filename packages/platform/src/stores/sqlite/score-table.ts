import type { DatabaseSync, StatementSync } from "node:sqlite";
import { LOGGED_CONTENT } from "../logged-content.ts";
import type { RejectedScores, ScoreBatch, ScoreRow, StoredScore } from "../score-store.ts";
import { contentsAmong, spanKey, withinLimit } from "../score-store.ts";
import { NO_ADDITIONS, SpanAdditions } from "../span-additions.ts";
import type { TraceChange } from "../span-store.ts";
import type { TraceRow } from "../trace-additions.ts";
import { TraceAdditions } from "../trace-additions.ts";

/** The result of writing scores. */
export interface WrittenScores {
  /** Of traces that are there already. */
  readonly changes: readonly TraceChange[];
  readonly rejected: RejectedScores;
}

interface OrphanRow {
  readonly project: string;
  readonly trace_id: string;
  readonly span_id: string;
  readonly name: string;
}

/** Writes and deletes scores. Every method must run inside a transaction, which the caller commits. */
export class ScoreWriter {
  readonly #count: StatementSync;
  readonly #isKnown: StatementSync;
  readonly #contentBytes: StatementSync;
  readonly #put: StatementSync;
  readonly #hasTrace: StatementSync;
  readonly #deleteOfTrace: StatementSync;
  readonly #deleteOrphans: StatementSync;
  readonly #noteLogged: StatementSync;
  readonly #forgetLogged: StatementSync;
  readonly #forgetLoggedSpan: StatementSync;

  constructor(db: DatabaseSync) {
    this.#count = db.prepare("SELECT count(*) AS n FROM scores WHERE project = ? AND trace_id = ?");
    this.#isKnown = db.prepare(
      "SELECT 1 FROM scores WHERE project = ? AND trace_id = ? AND score_id = ?",
    );
    this.#contentBytes = db.prepare(
      `SELECT total(octet_length(record)) AS bytes FROM scores
       WHERE project = ? AND trace_id = ? AND span_id = ? AND name = '${LOGGED_CONTENT}'`,
    );
    this.#put = db.prepare(
      `INSERT OR REPLACE INTO scores
         (project, trace_id, score_id, span_id, name, value, label, status, created, received, record)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#hasTrace = db.prepare("SELECT 1 FROM traces WHERE project = ? AND trace_id = ?");
    this.#deleteOfTrace = db.prepare("DELETE FROM scores WHERE project = ? AND trace_id = ?");
    this.#deleteOrphans = db.prepare(
      `DELETE FROM scores WHERE (project, trace_id, score_id) IN (
         SELECT project, trace_id, score_id FROM scores s WHERE received < ?
           AND NOT EXISTS (SELECT 1 FROM traces t WHERE t.project = s.project AND t.trace_id = s.trace_id)
         ORDER BY received LIMIT ?)
       RETURNING project, trace_id, span_id, name`,
    );
    // A new number, for which the index looks at the span again.
    this.#noteLogged = db.prepare(
      "INSERT OR REPLACE INTO logged_spans (project, trace_id, span_id) VALUES (?, ?, ?)",
    );
    this.#forgetLogged = db.prepare("DELETE FROM logged_spans WHERE project = ? AND trace_id = ?");
    this.#forgetLoggedSpan = db.prepare(
      `DELETE FROM logged_spans AS l WHERE project = ? AND trace_id = ? AND span_id = ?
         AND NOT EXISTS (SELECT 1 FROM scores s WHERE s.project = l.project AND s.trace_id = l.trace_id
           AND s.span_id = l.span_id AND s.name = '${LOGGED_CONTENT}')`,
    );
  }

  write({ project, scores }: ScoreBatch): WrittenScores {
    const traceIds = [...new Set(scores.map(({ traceId }) => traceId))];
    const known = scores.filter(
      ({ traceId, id }) => this.#isKnown.get(project, traceId, id) !== undefined,
    );
    const { kept, rejected } = withinLimit(scores, {
      counts: new Map(traceIds.map((traceId) => [traceId, this.#countOf(project, traceId)])),
      ids: new Set(known.map(({ id }) => id)),
      contentBytes: this.#contentBytesOf(project, scores),
    });
    for (const score of kept) {
      this.#put.run(
        project,
        score.traceId,
        score.id,
        score.spanId ?? "",
        score.name,
        score.value,
        score.label,
        score.status,
        score.createdAt,
        score.receivedAt,
        score.record,
      );
      if (score.name === LOGGED_CONTENT) {
        this.#noteLogged.run(project, score.traceId, score.spanId ?? "");
      }
    }
    const changes = traceIds
      .filter((traceId) => this.#hasTrace.get(project, traceId) !== undefined)
      .map((traceId) => ({ project, traceId, isNew: false }));
    return { changes, rejected };
  }

  /** @returns Whether there were any. */
  deleteOfTrace(project: string, traceId: string): boolean {
    this.#forgetLogged.run(project, traceId);
    return this.#deleteOfTrace.run(project, traceId).changes > 0;
  }

  /** Deletes old scores whose traces are not there; @returns how many. */
  deleteOrphans(receivedBefore: number, limit: number): number {
    const gone = this.#deleteOrphans.all(receivedBefore, limit) as unknown as OrphanRow[];
    for (const { project, trace_id, span_id, name } of gone) {
      if (name === LOGGED_CONTENT) this.#forgetLoggedSpan.run(project, trace_id, span_id);
    }
    return gone.length;
  }

  #contentBytesOf(project: string, scores: readonly StoredScore[]): ReadonlyMap<string, number> {
    return new Map(
      contentsAmong(scores).map(({ traceId, spanId }) => {
        const row = this.#contentBytes.get(project, traceId, spanId ?? "");
        return [spanKey(traceId, spanId), (row as { bytes: number }).bytes];
      }),
    );
  }

  #countOf(project: string, traceId: string): number {
    return (this.#count.get(project, traceId) as { n: number }).n;
  }
}

/** Reads scores over a connection of the caller's. */
export class ScoreReader {
  readonly #ofTrace: StatementSync;
  readonly #ofSpan: StatementSync;
  readonly #contentOf: StatementSync;

  constructor(db: DatabaseSync) {
    const ofTrace = "FROM scores WHERE project = ? AND trace_id = ?";
    const isContent = `name = '${LOGGED_CONTENT}'`;
    const inOrder = "ORDER BY created, score_id";
    this.#ofTrace = db.prepare(
      `SELECT span_id, iif(${isContent}, '', record) AS record,
         iif(${isContent}, octet_length(record), NULL) AS content_bytes ${ofTrace} ${inOrder}`,
    );
    const records = `SELECT span_id, record ${ofTrace}`;
    this.#ofSpan = db.prepare(`${records} AND span_id IN (?, ?) ${inOrder}`);
    this.#contentOf = db.prepare(
      `${records} AND span_id IN (SELECT value FROM json_each(?)) AND ${isContent} ${inOrder}`,
    );
  }

  /** Null where the trace has none. */
  ofTrace(project: string, traceId: string): TraceAdditions | null {
    const rows = this.#ofTrace.all(project, traceId) as unknown as TraceRow[];
    if (rows.length === 0) return null;
    return new TraceAdditions(rows, (spanIds) => {
      const content = this.#contentOf.all(project, traceId, JSON.stringify(spanIds));
      return content as unknown as ScoreRow[];
    });
  }

  /**
   * What a listed record is read with.
   *
   * @param isTop Whether the scores of the whole trace are among them.
   */
  ofListed(project: string, traceId: string, spanId: string, isTop: boolean): SpanAdditions {
    const rows = this.#ofSpan.all(project, traceId, spanId, isTop ? "" : spanId);
    if (rows.length === 0) return NO_ADDITIONS;
    return new SpanAdditions((rows as unknown as ScoreRow[]).map(({ record }) => record));
  }
}
