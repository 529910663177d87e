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
  // May find a few more than were asked for: comparing them one by one is cheaper here than there. The
  // key finds them; an index of span ids would only be read on top.
  const rows = await session.rows<[string, number, string, number, string]>(
    `SELECT trace_id, start, span_id, version, record FROM ${session.table("spans")}
     WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}
       AND start IN {starts:Array(Int64)} AND span_id IN {spanIds:Array(String)}
     SETTINGS use_skip_indexes = 0`,
    {
      project,
      traceIds: [...new Set(places.map(({ traceId }) => traceId))],
      starts: places.map(({ start }) => start),
      spanIds: places.map(({ spanId }) => spanId),
    },
  );
  rows.sort(([, , , a], [, , , b]) => a - b);
  const records = new Map(
    rows.map(([traceId, start, spanId, , record]) => [key({ traceId, start, spanId }), record]),
  );
  return (place) => records.get(key(place));
}

function key({ traceId, start, spanId }: SpanPlace): string {
  return `${traceId} ${start} ${spanId}`;
}
