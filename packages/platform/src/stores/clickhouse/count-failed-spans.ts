import type { FailedSpans, FailedSpansRequest } from "../span-query.ts";
import { MOST_SPANS_COUNTED } from "../span-query.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";

/** A span that was sent again counts as it was last written. */
export async function countFailedSpans(
  session: ClickHouseSession,
  { project, traceIds }: FailedSpansRequest,
): Promise<readonly FailedSpans[]> {
  if (traceIds.length === 0) return [];
  const rows = await session.rows<[string, number]>(
    `SELECT trace_id, countIf(last = 'ERROR') AS failed FROM (
       SELECT trace_id, argMax(status, version) AS last FROM ${session.table("spans")}
       WHERE project = {project:String} AND trace_id IN (
         SELECT trace_id FROM ${session.table("traces_by_id")}
         WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}
         GROUP BY trace_id
         HAVING argMax(spans, version) <= ${MOST_SPANS_COUNTED} AND argMax(moved, version) = 0
       )
       GROUP BY trace_id, span_id
     ) GROUP BY trace_id HAVING failed > 0`,
    { project, traceIds },
  );
  return rows.map(([traceId, count]) => ({ traceId, count }));
}
