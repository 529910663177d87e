import { localName } from "./clickhouse-schema.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";

/** The tables that have a row for each summary of a trace. */
export const SUMMARY_TABLES = ["traces", "traces_by_id"] as const;

type TraceTable =
  | (typeof SUMMARY_TABLES)[number]
  | "spans_by_start"
  | "spans"
  | "commits"
  | "scores";

interface TraceName {
  readonly project: string;
  readonly traceId: string;
}

/** Which rows of the traces; all by default. */
interface RowsToDelete {
  /** The version of the newest write that goes. */
  readonly upTo?: number | null;
  /** The scores that go, one for each of the traces; only of the table of scores. */
  readonly scoreIds?: readonly string[] | null;
}

/**
 * Deletes the rows of traces from one table after the other. They are hidden at once, on every replica,
 * and leave the disk with the next merge.
 *
 */
export async function deleteRows(
  session: ClickHouseSession,
  tables: readonly TraceTable[],
  traces: readonly TraceName[],
  { upTo = null, scoreIds = null }: RowsToDelete = {},
): Promise<void> {
  const { address } = session;
  const onCluster = address.cluster === null ? "" : `ON CLUSTER \`${address.cluster}\``;
  for (const name of tables) {
    // That of a summary is the version of the newest span in it, and how many there are.
    const write =
      name === "traces" || name === "traces_by_id" ? "bitShiftRight(version, 32)" : "version";
    await session.command(
      `DELETE FROM ${session.table(localName(address, name))} ${onCluster}
       WHERE project IN {projects:Array(String)} AND trace_id IN {traceIds:Array(String)}
         AND (project, trace_id) IN arrayZip({projects:Array(String)}, {traceIds:Array(String)})
         ${upTo === null ? "" : `AND ${write} <= {upTo:UInt64}`}
         ${scoreIds === null ? "" : "AND (project, trace_id, score_id) IN arrayZip({projects:Array(String)}, {traceIds:Array(String)}, {scoreIds:Array(String)})"}`,
      {
        upTo,
        scoreIds,
        projects: traces.map(({ project }) => project),
        traceIds: traces.map(({ traceId }) => traceId),
      },
      { lightweight_deletes_sync: "2" },
    );
  }
}
