import type { TotalFigures } from "@agate/protocol";
import { buildTree } from "@agate/spans/tree";
import type { PlacedNode } from "../segments/node-table.ts";
import type { SpanColumns, TraceDimensions } from "../summary/summary-columns.ts";
import {
  DIMENSION_COLUMNS,
  dimensionsOfNew,
  failedAmong,
  fillDimensions,
  NO_DIMENSIONS,
  topFigures,
  totalColumns,
} from "../summary/summary-columns.ts";
import { tableOfDay } from "./day.ts";
import type { PackedTrace } from "./packed-trace.ts";
import { isMissingDay } from "./postgres-errors.ts";
import { mergeHeaders } from "./read-segments.ts";
import type { SpanDatabase, SqlRunner } from "./span-database.ts";
import { SNAPSHOT } from "./span-database.ts";

/** What lists, filters and analytics see of a trace, with types: the summary's columns. */
export const TRACE_SUMMARY = [
  ["top_segment", "integer"],
  ["top_offset", "integer"],
  ["top_length", "integer"],
  ["start", "bigint"],
  ["start_nanos", "smallint"],
  ["latency", "float8"],
  ["name", "text"],
  ["spankind", "text"],
  ["status", "text"],
  ["application", "text"],
  ["route", "text"],
  ["variant", "text"],
  ["revision", "bigint"],
  ["environment", "text"],
  ["user_id", "text"],
  ["session_id", "text"],
  ["run", "text"],
  ["cost", "float8"],
  ["input_tokens", "float8"],
  ["output_tokens", "float8"],
  ["total_tokens", "float8"],
  ["total", "text"],
  ["failed_spans", "integer"],
  ["unpriced_calls", "integer"],
] as const;

export interface TraceToSummarise {
  readonly traceNo: number;
  readonly day: number;
}

/** A span that contributes to its trace's summary, in the order of {@link SPAN_COLUMNS}. */
interface SpanRow {
  readonly trace_no: number;
  readonly span_id: string;
  readonly start: number;
  readonly start_nanos: number;
  readonly latency: number | null;
  readonly name: string;
  readonly spankind: string;
  readonly status: string;
  readonly application: string | null;
  readonly route: string | null;
  readonly variant: string | null;
  readonly revision: number | null;
  readonly environment: string | null;
  readonly user_id: string | null;
  readonly session_id: string | null;
  readonly run: string | null;
}

const SPAN_COLUMNS = `trace_no, span_id, start, start_nanos, latency, name, spankind, status, ${DIMENSION_COLUMNS}`;

const COLUMNS = [
  ["trace_no", "bigint"],
  ["spans", "integer"],
  ["summarised", "integer"],
  ...TRACE_SUMMARY,
] as const;
const UPDATE = `
  UPDATE agate.traces t SET ${COLUMNS.slice(1)
    .map(([name]) => `${name} = n.${name}`)
    .join(", ")}
  FROM unnest(${COLUMNS.map(([, type], n) => `$${n + 1}::${type}[]`).join(", ")})
    AS n (${COLUMNS.map(([name]) => name).join(", ")})
  WHERE t.trace_no = n.trace_no`;

/** What lists show of a trace, made from the spans that it has at one moment. */
interface TraceSummary {
  readonly traceNo: number;
  /** How many it was made from. */
  readonly spans: number;
  readonly topSegment: number;
  /** In the order of {@link TRACE_SUMMARY}. */
  readonly columns: readonly (string | number | null)[];
}

/** A summary that was made without locking the trace, and what to compare before it is written. */
export interface SummaryFromSnapshot {
  readonly summary: TraceSummary;
  readonly day: number;
  /** The transaction that had written to the trace last. */
  readonly changed: string;
  /** Of the header of the top's segment. */
  readonly topDigest: string;
}

/** The summary of a trace whose spans all came together, in the order of {@link TRACE_SUMMARY}. */
export function summaryOfNew(trace: PackedTrace): (string | number | null)[] {
  const top = trace.columns[trace.top] as SpanColumns;
  return [
    0,
    0,
    trace.topOpenLength,
    ...topFigures(top),
    ...dimensionsOfNew(trace.columns, top),
    ...totalColumns(trace.total, failedAmong(trace.columns)),
  ];
}

/** Makes the summaries of traces from all of their spans. Their rows must be locked. */
export async function summariseTraces(
  transaction: SqlRunner,
  traces: readonly TraceToSummarise[],
): Promise<void> {
  if (traces.length === 0) return;
  const rows: (string | number | null)[][] = [];
  for (const [day, ofDay] of Map.groupBy(traces, (trace) => trace.day)) {
    const traceNos = ofDay.map(({ traceNo }) => traceNo);
    for (const { traceNo, spans, columns } of await summariesOfDay(transaction, day, traceNos)) {
      rows.push([traceNo, spans, spans, ...columns]);
    }
  }
  await updateSummaries(transaction, rows);
}

async function updateSummaries(
  transaction: SqlRunner,
  rows: readonly (readonly (string | number | null)[])[],
): Promise<void> {
  const columns = COLUMNS.map((_, n) => rows.map((row) => row[n] ?? null));
  await transaction.query(UPDATE, columns, "summarise-traces");
}

/**
 * Makes the summary of a trace that has grown since its last one was made, unless another server is doing
 * so. The trace is not locked meanwhile: for a million spans this takes seconds.
 *
 * @param after The first is taken whose number is greater.
 * @param except Traces to skip.
 * @param onTaken Told which trace it is.
 * @returns Its number; undefined when there is none.
 */
export async function summariseNext(
  database: SpanDatabase,
  after: number,
  except: readonly number[],
  onTaken: (traceNo: number) => void,
): Promise<number | undefined> {
  let traceNo: number | undefined;
  try {
    const made = await database.transaction(async (snapshot) => {
      const trace = await takeNext(snapshot, after, except);
      traceNo = trace?.trace_no;
      if (trace === undefined) return undefined;
      onTaken(trace.trace_no);
      return readSummary(snapshot, trace.trace_no, trace.day);
    }, SNAPSHOT);
    if (made !== undefined) await applySummary(database, made);
  } catch (error) {
    // The day has been dropped with its last traces since the snapshot was taken.
    if (!isMissingDay(error)) throw error;
  }
  return traceNo;
}

/** Traces that are looked up at once. After an upgrade, all of a database may be behind. */
const TRIED_AT_ONCE = 100;

/** The first trace that is behind and that no other server summarises; a lock until the end keeps it. */
async function takeNext(
  snapshot: SqlRunner,
  after: number,
  except: readonly number[],
): Promise<{ readonly trace_no: number; readonly day: number } | undefined> {
  for (let last: number | undefined = after; last !== undefined; ) {
    const traces: { trace_no: number; day: number }[] = await snapshot.query(
      `SELECT trace_no, day FROM agate.traces
       WHERE summarised < spans AND trace_no > $1 AND trace_no <> ALL($2::bigint[])
       ORDER BY trace_no LIMIT ${TRIED_AT_ONCE}`,
      [last, except],
    );
    for (const trace of traces) {
      const [lock] = await snapshot.query<{ is_free: boolean }>(
        "SELECT pg_try_advisory_xact_lock(hashtextextended('agate.summary', $1::bigint)) AS is_free",
        [trace.trace_no],
      );
      if (lock?.is_free === true) return trace;
    }
    last = traces.at(-1)?.trace_no;
  }
  return undefined;
}

/** Makes the summary of a trace over one snapshot. @returns Undefined when the trace is not there. */
export async function readSummary(
  snapshot: SqlRunner,
  traceNo: number,
  day: number,
): Promise<SummaryFromSnapshot | undefined> {
  const [trace] = await snapshot.query<{ changed: string }>(
    "SELECT changed::text AS changed FROM agate.traces WHERE trace_no = $1",
    [traceNo],
  );
  if (trace === undefined) return undefined;
  const [summary] = await summariesOfDay(snapshot, day, [traceNo]);
  if (summary === undefined) return undefined;
  const topDigest = await digestOf(snapshot, day, summary);
  if (topDigest === undefined) return undefined;
  return { summary, day, changed: trace.changed, topDigest };
}

/**
 * Writes a summary that was made over a snapshot. A trace that was written to since is behind
 * afterwards. Nothing happens where it was deleted, or where its top is at another place by now.
 */
export function applySummary(
  database: SpanDatabase,
  { summary, day, changed, topDigest }: SummaryFromSnapshot,
): Promise<void> {
  return database.transaction(async (transaction) => {
    const { traceNo, spans, columns } = summary;
    // In a statement of its own: what follows sees everything that was committed before the lock.
    const [trace] = await transaction.query<{ changed: string; spans: number }>(
      `SELECT changed::text AS changed, spans FROM agate.traces WHERE trace_no = $1
       FOR NO KEY UPDATE`,
      [traceNo],
    );
    if (trace === undefined || (await digestOf(transaction, day, summary)) !== topDigest) return;
    const counts =
      trace.changed === changed ? [spans, spans] : [trace.spans, Math.min(spans, trace.spans - 1)];
    await updateSummaries(transaction, [[traceNo, ...counts, ...columns]]);
  });
}

/** A digest of the header of the top's segment; undefined when the segment is not there. */
async function digestOf(
  runner: SqlRunner,
  day: number,
  { traceNo, topSegment }: TraceSummary,
): Promise<string | undefined> {
  const [row] = await runner.query<{ digest: string }>(
    `SELECT encode(sha256(header), 'hex') AS digest FROM ${tableOfDay("segments", day)}
     WHERE trace_no = $1 AND segment = $2`,
    [traceNo, topSegment],
  );
  return row?.digest;
}

async function summariesOfDay(
  transaction: SqlRunner,
  day: number,
  traceNos: readonly number[],
): Promise<TraceSummary[]> {
  const mergers = await mergeHeaders(transaction, day, traceNos);
  const tops = new Map<number, { node: PlacedNode; total: TotalFigures }>();
  for (const [traceNo, { nodes }] of mergers) {
    const tree = buildTree(nodes);
    tops.set(traceNo, {
      node: nodes.at(tree.top) as PlacedNode,
      total: tree.total(tree.top),
    });
  }
  const spans = await tellingSpans(transaction, day, tops);
  return [...tops].map(([traceNo, { node, total }]) => {
    // The top comes first, so that its own values win.
    const telling = spans.get(traceNo) ?? [];
    const [top] = telling;
    if (top === undefined) throw new Error(`Trace ${traceNo} has no row for its top`);
    const dimensions = fillDimensions(NO_DIMENSIONS, telling.map(dimensionsOf));
    const failed = telling.filter(({ status }) => status === "ERROR").length;
    return {
      traceNo,
      spans: mergers.get(traceNo)?.nodes.length ?? 0,
      topSegment: node.segment,
      columns: [
        node.segment,
        node.offset,
        node.openLength,
        top.start,
        top.start_nanos,
        top.latency,
        top.name,
        top.spankind,
        top.status,
        ...dimensions,
        ...totalColumns(total, failed),
      ],
    };
  });
}

/** The rows of tops, of failed spans, and of spans with dimensions, by start, then id. */
async function tellingSpans(
  transaction: SqlRunner,
  day: number,
  tops: ReadonlyMap<number, { node: PlacedNode }>,
): Promise<Map<number, SpanRow[]>> {
  const rows = await transaction.query<SpanRow>(
    `SELECT ${SPAN_COLUMNS.replaceAll(/\w+/g, "p.$&")}
     FROM unnest($1::bigint[], $2::text[]) AS n (trace_no, top_id)
     JOIN ${tableOfDay("spans", day)} p ON p.trace_no = n.trace_no
     WHERE p.span_id = n.top_id OR p.status = 'ERROR' OR coalesce(p.application, p.route, p.variant,
       p.revision::text, p.environment, p.user_id, p.session_id, p.run) IS NOT NULL
     ORDER BY p.trace_no, p.span_id <> n.top_id, p.start, p.start_nanos, p.span_id`,
    [[...tops.keys()], [...tops.values()].map(({ node }) => node.id)],
  );
  return Map.groupBy(rows, (row) => row.trace_no);
}

function dimensionsOf(row: SpanRow): TraceDimensions {
  return [
    row.application,
    row.route,
    row.variant,
    row.revision,
    row.environment,
    row.user_id,
    row.session_id,
    row.run,
  ];
}
