import { buildTree, totalText } from "@agate/spans/tree";
import type { ClickHouseSettings } from "@clickhouse/client";
import type { ClickHouseSession } from "./clickhouse-session.ts";
import { LONG_QUERY_SETTINGS } from "./clickhouse-session.ts";
import { nodesOf } from "./stored-summaries.ts";
import { SUMMARY_COLUMNS } from "./trace-summary.ts";

/** Traces that are looked up together. */
const TRACES_PER_STEP = 10_000;
/** Traces are read together up to this many spans. */
const SPANS_TOGETHER = 20_000;

/** How much one step takes; tests use small ones. */
export interface StepSizes {
  readonly traces: number;
  readonly spans: number;
}

/** A span with tokens and no cost, as its figures are written: the role, then the cost. */
const HAS_NO_COST = "(startsWith(figures, '[0,null,') OR startsWith(figures, '[1,null,'))";

type TracePlace = readonly [project: string, traceId: string];

interface UnpricedTrace {
  readonly traceId: string;
  readonly total: string;
  readonly calls: number;
}

/**
 * Counts the calls without a cost in traces from before: the newest row of each that has any is written again, as
 * a newer version. It keeps its time of writing, so that no server takes it for a change. Done again, it changes
 * nothing.
 *
 * @param settings For writing rows of any number of days.
 */
export async function countEarlierUnpricedCalls(
  session: ClickHouseSession,
  settings: ClickHouseSettings,
  sizes: StepSizes = { traces: TRACES_PER_STEP, spans: SPANS_TOGETHER },
): Promise<void> {
  for (let last: TracePlace | undefined = ["", ""]; last !== undefined; ) {
    const places: TracePlace[] = await tracesAfter(session, last, sizes.traces);
    for (const [project, own] of Map.groupBy(places, ([name]) => name)) {
      const traceIds = own.map(([, traceId]) => traceId);
      for (const lot of await lotsOf(session, project, traceIds, sizes.spans)) {
        const traces = await unpricedOf(session, project, lot);
        if (traces.length > 0) await writeAgain(session, project, traces, settings);
      }
    }
    last = places.at(-1);
  }
}

/** The next traces that may have such calls, in order. */
function tracesAfter(
  session: ClickHouseSession,
  [project, traceId]: TracePlace,
  limit: number,
): Promise<TracePlace[]> {
  return session.rows(
    `SELECT DISTINCT project, trace_id FROM ${session.table("spans")}
     WHERE (project, trace_id) > ({project:String}, {traceId:String}) AND ${HAS_NO_COST}
     ORDER BY project, trace_id LIMIT ${limit}`,
    { project, traceId },
    LONG_QUERY_SETTINGS,
  );
}

/** Traces of so few spans that they fit into memory together; one that is larger is alone. */
async function lotsOf(
  session: ClickHouseSession,
  project: string,
  traceIds: readonly string[],
  most: number,
): Promise<string[][]> {
  const rows = await session.rows<[traceId: string, spans: number]>(
    `SELECT trace_id, count() FROM ${session.table("spans")}
     WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)} GROUP BY trace_id`,
    { project, traceIds },
    LONG_QUERY_SETTINGS,
  );
  const lots: string[][] = [];
  let room = 0;
  for (const [traceId, spans] of rows) {
    if (spans > room) {
      lots.push([]);
      room = most;
    }
    lots.at(-1)?.push(traceId);
    room -= spans;
  }
  return lots;
}

async function unpricedOf(
  session: ClickHouseSession,
  project: string,
  traceIds: readonly string[],
): Promise<UnpricedTrace[]> {
  const traces: UnpricedTrace[] = [];
  for (const [traceId, { table }] of await nodesOf(session, project, traceIds)) {
    const tree = buildTree(table);
    const total = tree.total(tree.top);
    const calls = total.unpriced_calls ?? 0;
    if (calls > 0) traces.push({ traceId, total: totalText(total), calls });
  }
  return traces;
}

function writeAgain(
  session: ClickHouseSession,
  project: string,
  traces: readonly UnpricedTrace[],
  settings: ClickHouseSettings,
): Promise<void> {
  const changed = ["version", "total", "unpriced_calls"];
  const kept = [...SUMMARY_COLUMNS, "written"].filter((name) => !changed.includes(name));
  const place = "indexOf({traceIds:Array(String)}, trace_id)";
  return session.command(
    `INSERT INTO ${session.table("traces")} (${kept.join(", ")}, version, total, unpriced_calls)
SELECT ${kept.join(", ")}, version + 1,
  concat({totals:Array(String)}[${place}], if(failed_spans = 0, '', concat(',"failed_spans":', toString(failed_spans)))),
  {calls:Array(UInt32)}[${place}]
FROM (
  SELECT * FROM ${session.table("traces")}
  WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}
  ORDER BY project, trace_id, version DESC, moved LIMIT 1 BY project, trace_id
) WHERE moved = 0 AND unpriced_calls = 0`,
    {
      project,
      traceIds: traces.map(({ traceId }) => traceId),
      totals: traces.map(({ total }) => total),
      calls: traces.map(({ calls }) => calls),
    },
    settings,
  );
}
