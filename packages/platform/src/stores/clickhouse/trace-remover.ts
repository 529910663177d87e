import type { DeleteOutcome } from "../span-store.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";
import { deleteRows, SUMMARY_TABLES } from "./delete-rows.ts";
import { SummaryWriter } from "./summary-writer.ts";

/**
 * Lists first, and `commits` last, because it tells whether a trace exists: an interrupted deletion can be
 * retried. Then the summaries that were made in the meantime.
 */
const ORDER = [...SUMMARY_TABLES, "spans_by_start", "spans", "commits", ...SUMMARY_TABLES] as const;

/** Deletes traces. The rows are hidden at once, and leave the disk with the next merge. */
export class TraceRemover {
  readonly #session: ClickHouseSession;
  readonly #summaries: SummaryWriter;

  constructor(session: ClickHouseSession) {
    this.#session = session;
    this.#summaries = new SummaryWriter(session);
  }

  async deleteTrace(project: string, traceId: string): Promise<DeleteOutcome> {
    try {
      const newest = await this.#newestWrite("commits", project, traceId);
      const lastScore = await this.#newestWrite("scores", project, traceId);
      if (newest === 0 && lastScore === 0) return { kind: "missing" };
      const trace = [{ project, traceId }];
      if (lastScore > 0) await deleteRows(this.#session, ["scores"], trace, { upTo: lastScore });
      // Only writes up to this version are deleted from each table, so that a later write stays complete.
      await deleteRows(this.#session, ORDER, trace, { upTo: newest });
      if ((await this.#newestWrite("commits", project, traceId)) > 0) {
        // The summary may have been made while the old spans still existed.
        await deleteRows(this.#session, SUMMARY_TABLES, trace);
        await this.#summaries.renew(project, [traceId]);
      }
      return { kind: "deleted" };
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      return { kind: "unavailable", reason: error.reason };
    }
  }

  /** The version of the last write of a trace, or of its scores; 0 when there is none. */
  async #newestWrite(
    table: "commits" | "scores",
    project: string,
    traceId: string,
  ): Promise<number> {
    const rows = await this.#session.rows<[number]>(
      `SELECT max(version) FROM ${this.#session.table(table)}
       WHERE project = {project:String} AND trace_id = {traceId:String}`,
      { project, traceId },
    );
    return rows[0]?.[0] ?? 0;
  }

  /** Deletes some of the oldest traces, by arrival. @returns How many. */
  async expire(receivedBefore: number, limit: number): Promise<number> {
    const commits = this.#session.table("commits");
    const rows = await this.#session.rows<[string, string]>(
      `SELECT project, trace_id FROM ${commits}
       WHERE (project, trace_id) IN (
         SELECT project, trace_id FROM ${commits} WHERE received < {before:Int64}
       )
       GROUP BY project, trace_id HAVING max(received) < {before:Int64}
       ORDER BY max(received) LIMIT {limit:UInt32}`,
      { before: receivedBefore, limit },
    );
    if (rows.length > 0) {
      await deleteRows(
        this.#session,
        ["scores", ...ORDER],
        rows.map(([project, traceId]) => ({ project, traceId })),
      );
    }
    return rows.length + (await this.#expireOrphans(receivedBefore, limit));
  }

  /** Deletes old scores whose traces are not there. @returns How many. */
  async #expireOrphans(receivedBefore: number, limit: number): Promise<number> {
    const scores = this.#session.table("scores");
    // Partitions are days of arrival: only old ones are read.
    const old = `SELECT project, trace_id FROM ${scores} WHERE received < {before:Int64}`;
    const rows = await this.#session.rows<[string, string, string]>(
      `SELECT project, trace_id, score_id FROM ${scores} WHERE (project, trace_id) IN (${old})
         AND (project, trace_id) NOT IN (
           SELECT project, trace_id FROM ${this.#session.table("commits")}
           WHERE (project, trace_id) IN (${old})
         )
       GROUP BY project, trace_id, score_id HAVING argMax(received, version) < {before:Int64}
       LIMIT {limit:UInt32}`,
      { before: receivedBefore, limit },
    );
    if (rows.length > 0) {
      const traces = rows.map(([project, traceId]) => ({ project, traceId }));
      const scoreIds = rows.map(([, , scoreId]) => scoreId);
      await deleteRows(this.#session, ["scores"], traces, { scoreIds });
    }
    return rows.length;
  }
}
