import type { ClickHouseSession } from "./clickhouse-session.ts";

/** Where a span's record lies. */
export interface SpanPlace {
  readonly traceId: string;
  readonly start: number;
  readonly spanId: string;
}

/** Something of spans by their places; undefined where there is none. */
type AtPlace<Value> = (place: SpanPlace) => Value | undefined;

/** Open records by place. */
export type RecordsAt = AtPlace<string>;

/** Reads the open records of spans, as they were last written at these places. */
export function recordsAt(
  session: ClickHouseSession,
  project: string,
  places: readonly SpanPlace[],
): Promise<RecordsAt> {
  return columnAt<string>(session, project, places, "record");
}

/** Reads how many bytes the open records of spans have. */
export function recordBytesAt(
  session: ClickHouseSession,
  project: string,
  places: readonly SpanPlace[],
): Promise<AtPlace<number>> {
  return columnAt<number>(session, project, places, "record_bytes");
}

async function columnAt<Value>(
  session: ClickHouseSession,
  project: string,
  places: readonly SpanPlace[],
  column: "record" | "record_bytes",
): Promise<AtPlace<Value>> {
  if (places.length === 0) return () => undefined;
  // May find a few more than were asked for: comparing them one by one is cheaper here than there. The
  // key finds them; an index of span ids would only be read on top.
  const rows = await session.rows<[string, number, string, number, Value]>(
    `SELECT trace_id, start, span_id, version, ${column} FROM ${session.table("spans")}
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
  const values = new Map(
    rows.map(([traceId, start, spanId, , value]) => [key({ traceId, start, spanId }), value]),
  );
  return (place) => values.get(key(place));
}

function key({ traceId, start, spanId }: SpanPlace): string {
  return `${traceId} ${start} ${spanId}`;
}
