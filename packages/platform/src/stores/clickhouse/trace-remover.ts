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
      const newest = await this.#newestWrite(project, traceId);
      if (newest === 0) return { kind: "missing" };
      const trace = [{ project, traceId }];
      // Only writes up to this version are deleted from each table, so that a later write stays complete.
      await deleteRows(this.#session, ORDER, trace, newest);
      if ((await this.#newestWrite(project, traceId)) > 0) {
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

  /** The version of a trace's last write; 0 when there is no such trace. */
  async #newestWrite(project: string, traceId: string): Promise<number> {
    const rows = await this.#session.rows<[number]>(
      `SELECT max(version) FROM ${this.#session.table("commits")}
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
        ORDER,
        rows.map(([project, traceId]) => ({ project, traceId })),
      );
    }
    return rows.length;
  }
}
