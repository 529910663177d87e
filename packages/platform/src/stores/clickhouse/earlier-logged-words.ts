import { LOGGED_CONTENT } from "../logged-content.ts";
import { type ClickHouseSession, LONG_QUERY_SETTINGS } from "./clickhouse-session.ts";
import { LoggedWords } from "./logged-words.ts";

/** Spans that are indexed together: an insert takes rows of at most 100 days, each of which is a partition. */
const SPANS_PER_STEP = 100;

type SpanPlace = readonly [project: string, traceId: string, spanId: string];

/**
 * Lets search find spans by content that was logged before its words were indexed. Done again, it changes nothing
 * that is read.
 *
 * @param perStep Tests use small ones.
 */
export async function indexEarlierContent(
  session: ClickHouseSession,
  perStep = SPANS_PER_STEP,
): Promise<void> {
  const words = new LoggedWords(session);
  for (let last: SpanPlace | undefined = ["", "", ""]; last !== undefined; ) {
    const places: SpanPlace[] = await loggedAfter(session, last, perStep);
    for (const [project, own] of Map.groupBy(places, ([name]) => name)) {
      await words.addContent(
        project,
        own.map(([, traceId, spanId]) => ({ traceId, spanId })),
      );
    }
    last = places.at(-1);
  }
}

/** The next spans with logged content, in order. */
function loggedAfter(
  session: ClickHouseSession,
  [project, traceId, spanId]: SpanPlace,
  limit: number,
): Promise<SpanPlace[]> {
  return session.rows(
    `SELECT DISTINCT project, trace_id, span_id FROM ${session.table("scores")}
     WHERE name = '${LOGGED_CONTENT}'
       AND (project, trace_id, span_id) > ({project:String}, {traceId:String}, {spanId:String})
     ORDER BY project, trace_id, span_id LIMIT ${limit}`,
    { project, traceId, spanId },
    LONG_QUERY_SETTINGS,
  );
}
