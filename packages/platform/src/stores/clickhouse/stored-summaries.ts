import { buildTree } from "@agate/spans/tree";
import type { PlacedNode } from "../segments/node-table.ts";
import type { TraceDimensions } from "../summary/summary-columns.ts";
import { DIMENSION_COLUMNS, fillDimensions } from "../summary/summary-columns.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";
import type { FactRow, SpanWrite } from "./span-row.ts";
import { FACT_COLUMNS, factsOf } from "./span-row.ts";
import type { NodeRow } from "./trace-nodes.ts";
import { NODE_COLUMNS, TraceNodes } from "./trace-nodes.ts";
import type { TopColumns, TraceSummary } from "./trace-summary.ts";
import { summaryOf } from "./trace-summary.ts";

/** The writes that touched a trace. */
export interface CommitInfo {
  readonly traceId: string;
  readonly firstVersion: number;
  readonly received: number;
  /** Each as often as it was written. */
  readonly spans: number;
  /** The newest write by another server, and how many spans the writes of other servers have. */
  readonly others: { readonly newest: number; readonly spans: number };
}

/** A trace of up to this many spans is read in one query. */
const SPANS_AT_ONCE = 2_000;
/** Traces are read together up to this many spans. */
const SPANS_TOGETHER = 20_000;

/**
 * Makes the summaries of traces from what is stored of them. A trace that was deleted meanwhile is
 * left out.
 */
export async function summariesOf(
  session: ClickHouseSession,
  project: string,
  commits: readonly CommitInfo[],
): Promise<TraceSummary[]> {
  const summaries: TraceSummary[] = [];
  let lot: CommitInfo[] = [];
  let spans = 0;
  for (const commit of commits) {
    if (commit.spans > SPANS_AT_ONCE) {
      summaries.push(...(await summaryOfLarge(session, project, commit)));
      continue;
    }
    if (spans + commit.spans > SPANS_TOGETHER) {
      summaries.push(...(await summariesOfSmall(session, project, lot)));
      lot = [];
      spans = 0;
    }
    lot.push(commit);
    spans += commit.spans;
  }
  if (lot.length > 0) summaries.push(...(await summariesOfSmall(session, project, lot)));
  return summaries;
}

async function summariesOfSmall(
  session: ClickHouseSession,
  project: string,
  commits: readonly CommitInfo[],
): Promise<TraceSummary[]> {
  const rows = await session.rows<[version: number, ...FactRow]>(
    `SELECT version, ${FACT_COLUMNS} FROM ${session.table("spans")}
     WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}`,
    { project, traceIds: commits.map(({ traceId }) => traceId) },
  );
  const traces = new Map<string, Map<string, SpanWrite>>();
  for (const [version, ...row] of rows) {
    const span = factsOf(row);
    const trace = traces.get(span.traceId) ?? new Map<string, SpanWrite>();
    traces.set(span.traceId, trace);
    const known = trace.get(span.id);
    // The arrival is that of the trace, which is known.
    if (known === undefined || known.version < version) {
      trace.set(span.id, { version, receivedAt: 0, span });
    }
  }
  return commits.flatMap(({ traceId, firstVersion, received }) => {
    const writes = traces.get(traceId);
    return writes === undefined
      ? []
      : [summaryOf([...writes.values()], { firstVersion, received })];
  });
}

/** From nodes alone: only a few spans of a large trace have dimensions. */
async function summaryOfLarge(
  session: ClickHouseSession,
  project: string,
  { traceId, firstVersion, received }: CommitInfo,
): Promise<TraceSummary[]> {
  const nodes = (await nodesOf(session, project, [traceId])).get(traceId);
  if (nodes === undefined) return [];
  const tree = buildTree(nodes.table);
  const top = nodes.table.at(tree.top) as PlacedNode;
  const [said, dimensionRows, failed] = await Promise.all([
    topOf(session, project, traceId, top),
    dimensionsInTrace(session, project, traceId),
    failedInTrace(session, project, traceId),
  ]);
  if (said === undefined) return [];
  return [
    {
      traceId,
      firstVersion,
      received,
      newest: nodes.newest,
      spans: nodes.table.length,
      start: top.start,
      startNanos: top.startNanos,
      topId: top.id,
      topVersion: top.segment,
      top: said.top,
      dimensions: fillDimensions(said.dimensions, dimensionRows),
      total: tree.total(tree.top),
      failed,
    },
  ];
}

/** The nodes of traces, by trace id. */
export async function nodesOf(
  session: ClickHouseSession,
  project: string,
  traceIds: readonly string[],
): Promise<Map<string, TraceNodes>> {
  const rows = await session.rows<[traceId: string, ...NodeRow]>(
    `SELECT trace_id, ${NODE_COLUMNS} FROM ${session.table("spans")}
     WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}`,
    { project, traceIds },
  );
  const byTrace = new Map<string, TraceNodes>();
  for (const [traceId, ...node] of rows) {
    let nodes = byTrace.get(traceId);
    if (nodes === undefined) {
      nodes = new TraceNodes();
      byTrace.set(traceId, nodes);
    }
    nodes.add(node);
  }
  return byTrace;
}

async function topOf(
  session: ClickHouseSession,
  project: string,
  traceId: string,
  { id, start, segment: version }: PlacedNode,
): Promise<{ readonly top: TopColumns; readonly dimensions: TraceDimensions } | undefined> {
  const [row] = await session.rows<[...TopColumns, ...TraceDimensions]>(
    `SELECT latency, name, spankind, status, ${DIMENSION_COLUMNS} FROM ${session.table("spans")}
     WHERE project = {project:String} AND trace_id = {traceId:String} AND start = {start:Int64}
       AND span_id = {id:String} AND version = {version:UInt64} LIMIT 1`,
    { project, traceId, start, id, version },
  );
  if (row === undefined) return undefined;
  const [latency, name, kind, status, ...dimensions] = row;
  return { top: [latency, name, kind, status], dimensions };
}

/** The distinct dimensions of a trace's spans, by the earliest span that has them. */
function dimensionsInTrace(
  session: ClickHouseSession,
  project: string,
  traceId: string,
): Promise<TraceDimensions[]> {
  const spans = `FROM ${session.table("spans")}
     WHERE project = {project:String} AND trace_id = {traceId:String}`;
  return session.rows<TraceDimensions>(
    `SELECT ${DIMENSION_COLUMNS} ${spans}
       AND (span_id, version) IN (SELECT span_id, max(version) ${spans} GROUP BY span_id)
     GROUP BY ${DIMENSION_COLUMNS} ORDER BY min((start, start_nanos, span_id))`,
    { project, traceId },
  );
}

/** How many spans of a trace failed, as each was last written. */
async function failedInTrace(
  session: ClickHouseSession,
  project: string,
  traceId: string,
): Promise<number> {
  const [row] = await session.rows<[number]>(
    `SELECT countIf(last = 'ERROR') FROM (
       SELECT argMax(status, version) AS last FROM ${session.table("spans")}
       WHERE project = {project:String} AND trace_id = {traceId:String} GROUP BY span_id)`,
    { project, traceId },
  );
  return row?.[0] ?? 0;
}
