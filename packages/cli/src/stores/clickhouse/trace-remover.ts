import type { DeleteOutcome } from "../span-store.ts";
import { StoreUnavailableError } from "../store-unavailable-error.ts";
import { localName } from "./clickhouse-schema.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";

/** First out of lists; last what tells whether a trace is there, so that it can be tried again. */
const ORDER = ["traces", "traces_by_id", "spans_by_start", "spans", "commits"] as const;

interface TraceName {
  readonly project: string;
  readonly traceId: string;
}

/** Deletes traces. The rows are hidden at once, and leave the disk with the next merge. */
export class TraceRemover {
  readonly #session: ClickHouseSession;

  constructor(session: ClickHouseSession) {
    this.#session = session;
  }

  async deleteTrace(project: string, traceId: string): Promise<DeleteOutcome> {
    try {
      const rows = await this.#session.rows(
        `SELECT 1 FROM ${this.#session.table("commits")}
         WHERE project = {project:String} AND trace_id = {traceId:String} LIMIT 1`,
        { project, traceId },
      );
      if (rows.length === 0) return { kind: "missing" };
      await this.#remove([{ project, traceId }]);
      return { kind: "deleted" };
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      return { kind: "unavailable", reason: error.reason };
    }
  }

  /** Deletes some of the traces that arrived first. @returns How many. */
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
      await this.#remove(rows.map(([project, traceId]) => ({ project, traceId })));
    }
    return rows.length;
  }

  async #remove(traces: readonly TraceName[]): Promise<void> {
    const { address } = this.#session;
    const onCluster = address.cluster === null ? "" : `ON CLUSTER \`${address.cluster}\``;
    for (const name of ORDER) {
      await this.#session.command(
        `DELETE FROM ${this.#session.table(localName(address, name))} ${onCluster}
         WHERE project IN {projects:Array(String)} AND trace_id IN {traceIds:Array(String)}
           AND (project, trace_id) IN arrayZip({projects:Array(String)}, {traceIds:Array(String)})`,
        {
          projects: traces.map(({ project }) => project),
          traceIds: traces.map(({ traceId }) => traceId),
        },
        { lightweight_deletes_sync: "1" },
      );
    }
  }
}
