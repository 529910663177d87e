import type { DeleteOutcome } from "../span-store.ts";
import { StoreUnavailableError } from "../store-unavailable-error.ts";
import { localName } from "./clickhouse-schema.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";
import { SummaryWriter } from "./summary-writer.ts";

/** First out of lists; last what tells whether a trace is there, so that it can be tried again. */
const SUMMARIES = ["traces", "traces_by_id"] as const;
const ORDER = [...SUMMARIES, "spans_by_start", "spans", "commits"] as const;

interface TraceName {
  readonly project: string;
  readonly traceId: string;
}

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
      // What is written from now on stays, all of it: each table is deleted from at another moment.
      await this.#remove(ORDER, trace, newest);
      if ((await this.#newestWrite(project, traceId)) > 0) {
        // Its summary may have been made while the old spans were still there.
        await this.#remove(SUMMARIES, trace);
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
      await this.#remove(
        ORDER,
        rows.map(([project, traceId]) => ({ project, traceId })),
      );
    }
    return rows.length;
  }

  /** @param upTo The version of the newest write that goes; null for all. */
  async #remove(
    tables: readonly (typeof ORDER)[number][],
    traces: readonly TraceName[],
    upTo: number | null = null,
  ): Promise<void> {
    const { address } = this.#session;
    const onCluster = address.cluster === null ? "" : `ON CLUSTER \`${address.cluster}\``;
    for (const name of tables) {
      // That of a summary is the version of the newest span in it, and how many there are.
      const write =
        name === "traces" || name === "traces_by_id" ? "bitShiftRight(version, 32)" : "version";
      await this.#session.command(
        `DELETE FROM ${this.#session.table(localName(address, name))} ${onCluster}
         WHERE project IN {projects:Array(String)} AND trace_id IN {traceIds:Array(String)}
           AND (project, trace_id) IN arrayZip({projects:Array(String)}, {traceIds:Array(String)})
           ${upTo === null ? "" : `AND ${write} <= {upTo:UInt64}`}`,
        {
          upTo,
          projects: traces.map(({ project }) => project),
          traceIds: traces.map(({ traceId }) => traceId),
        },
        // On every replica.
        { lightweight_deletes_sync: "2" },
      );
    }
  }
}
