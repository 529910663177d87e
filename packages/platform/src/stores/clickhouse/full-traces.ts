import { beyondLimit } from "../span-limit.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";
import type { IncomingSpan } from "./incoming-rows.ts";

/**
 * Which spans would take their trace beyond the limit. What another server inserts at the same time is
 * not counted: each server may exceed the limit by what it has under way.
 *
 * @param spans Each once, in the order of arrival.
 */
export async function spansBeyondLimit(
  session: ClickHouseSession,
  spans: readonly IncomingSpan[],
  limit: number,
): Promise<ReadonlySet<IncomingSpan>> {
  const beyond = new Set<IncomingSpan>();
  if (limit === Number.POSITIVE_INFINITY) return beyond;
  for (const [project, own] of Map.groupBy(spans, (span) => span.project)) {
    const byTrace = Map.groupBy(own, ({ span }) => span.traceId);
    const written = await writtenSpans(session, project, [...byTrace.keys()]);
    for (const [traceId, sent] of byTrace) {
      // Spans that were sent again are counted twice: this is the most that there can be.
      const most = written.get(traceId) ?? 0;
      if (most + sent.length <= limit) continue;
      const ids = sent.map(({ span }) => span.id);
      const { count, stored } = await storedSpans(session, project, traceId, ids);
      const isStored = (index: number) => stored.has(ids[index] as string);
      for (const index of beyondLimit(sent.length, isStored, count, limit)) {
        beyond.add(sent[index] as IncomingSpan);
      }
    }
  }
  return beyond;
}

/** How many spans were written to traces, each as often as it was written. */
async function writtenSpans(
  session: ClickHouseSession,
  project: string,
  traceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await session.rows<[string, number]>(
    `SELECT trace_id, sum(spans) FROM ${session.table("commits")}
     WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}
     GROUP BY trace_id`,
    { project, traceIds },
  );
  return new Map(rows);
}

/** How many distinct spans a trace has, and which of these ids are among them. */
async function storedSpans(
  session: ClickHouseSession,
  project: string,
  traceId: string,
  spanIds: readonly string[],
): Promise<{ readonly count: number; readonly stored: ReadonlySet<string> }> {
  const [row] = await session.rows<[number, string[]]>(
    `SELECT uniqExact(span_id), groupUniqArrayIf(span_id, span_id IN {spanIds:Array(String)})
     FROM ${session.table("spans")}
     WHERE project = {project:String} AND trace_id = {traceId:String}`,
    { project, traceId, spanIds },
  );
  const [count, stored] = row ?? [0, []];
  return { count, stored: new Set(stored) };
}
