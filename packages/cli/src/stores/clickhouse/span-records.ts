import type { ClickHouseSession } from "./clickhouse-session.ts";

/** Where a span's record lies. */
export interface SpanPlace {
  readonly traceId: string;
  readonly start: number;
  readonly spanId: string;
}

/** Open records by place; undefined where there is none. */
export type RecordsAt = (place: SpanPlace) => string | undefined;

/** Reads the open records of spans, as they were last written at these places. */
export async function recordsAt(
  session: ClickHouseSession,
  project: string,
  places: readonly SpanPlace[],
): Promise<RecordsAt> {
  if (places.length === 0) return () => undefined;
  const rows = await session.rows<[string, number, string, string]>(
    `SELECT trace_id, start, span_id, argMax(record, version) FROM ${session.table("spans")}
     WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}
       AND start IN {starts:Array(Int64)} AND span_id IN {spanIds:Array(String)}
       AND (trace_id, start, span_id) IN
         arrayZip({traceIds:Array(String)}, {starts:Array(Int64)}, {spanIds:Array(String)})
     GROUP BY trace_id, start, span_id`,
    {
      project,
      traceIds: places.map(({ traceId }) => traceId),
      starts: places.map(({ start }) => start),
      spanIds: places.map(({ spanId }) => spanId),
    },
  );
  const records = new Map(
    rows.map(([traceId, start, spanId, record]) => [key({ traceId, start, spanId }), record]),
  );
  return (place) => records.get(key(place));
}

function key({ traceId, start, spanId }: SpanPlace): string {
  return `${traceId} ${start} ${spanId}`;
}
