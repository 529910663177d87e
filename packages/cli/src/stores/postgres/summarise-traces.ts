import { buildTree } from "@agate/spans/tree";
import type { PlacedNode } from "../segments/node-table.ts";
import type { Belonging } from "../summary/fill-belonging.ts";
import { fillBelonging } from "../summary/fill-belonging.ts";
import { totalColumns } from "../summary/total-columns.ts";
import { tableOfDay } from "./day.ts";
import { mergeHeaders } from "./merge-headers.ts";
import type { SpanDatabase, SqlRunner } from "./span-database.ts";
import { TRACE_SUMMARY } from "./trace-summary.ts";

export interface TraceToSummarise {
  readonly traceNo: number;
  readonly day: number;
}

/** A span that may say something of its trace, in the order of {@link SPAN_COLUMNS}. */
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
}

const BELONGING = "application, route, variant, revision, environment, user_id, session_id";
const SPAN_COLUMNS = `trace_no, span_id, start, start_nanos, latency, name, spankind, status, ${BELONGING}`;
const NOWHERE: Belonging = [null, null, null, null, null, null, null];

const COLUMNS = [["trace_no", "bigint"], ["spans", "integer"], ...TRACE_SUMMARY] as const;
const UPDATE = `
  UPDATE agate.traces t SET summarised = n.spans, ${COLUMNS.slice(1)
    .map(([name]) => `${name} = n.${name}`)
    .join(", ")}
  FROM unnest(${COLUMNS.map(([, type], n) => `$${n + 1}::${type}[]`).join(", ")})
    AS n (${COLUMNS.map(([name]) => name).join(", ")})
  WHERE t.trace_no = n.trace_no`;

/** Makes the summaries of traces from all of their spans. Their rows must be locked. */
export async function summariseTraces(
  transaction: SqlRunner,
  traces: readonly TraceToSummarise[],
): Promise<void> {
  if (traces.length === 0) return;
  const rows: (string | number | null)[][] = [];
  for (const [day, ofDay] of Map.groupBy(traces, (trace) => trace.day)) {
    const traceNos = ofDay.map(({ traceNo }) => traceNo);
    for (const row of await summariesOfDay(transaction, day, traceNos)) rows.push(row);
  }
  const columns = COLUMNS.map((_, n) => rows.map((row) => row[n] ?? null));
  await transaction.query(UPDATE, columns, "summarise-traces");
}

/**
 * Makes the summary of a trace that has grown since its last one was made, unless another server has
 * it in hand.
 *
 * @param after The first is taken whose number is greater.
 * @param except Traces that are left alone.
 * @param onTaken Told which trace it is.
 * @returns Its number; undefined when there is none.
 */
export function summariseNext(
  database: SpanDatabase,
  after: number,
  except: readonly number[],
  onTaken: (traceNo: number) => void,
): Promise<number | undefined> {
  return database.transaction(async (transaction) => {
    const [trace] = await transaction.query<{ trace_no: number; day: number }>(
      `SELECT trace_no, day FROM agate.traces
       WHERE summarised < spans AND trace_no > $1 AND trace_no <> ALL($2::bigint[])
       ORDER BY trace_no LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
      [after, except],
    );
    if (trace === undefined) return undefined;
    onTaken(trace.trace_no);
    await summariseTraces(transaction, [{ traceNo: trace.trace_no, day: trace.day }]);
    return trace.trace_no;
  });
}

async function summariesOfDay(
  transaction: SqlRunner,
  day: number,
  traceNos: readonly number[],
): Promise<(string | number | null)[][]> {
  const mergers = await mergeHeaders(transaction, day, traceNos);
  const tops = new Map<number, { node: PlacedNode; columns: ReturnType<typeof totalColumns> }>();
  for (const [traceNo, { nodes }] of mergers) {
    const tree = buildTree(nodes);
    tops.set(traceNo, {
      node: nodes.at(tree.top) as PlacedNode,
      columns: totalColumns(tree.total(tree.top)),
    });
  }
  const spans = await tellingSpans(transaction, day, tops);
  return [...tops].map(([traceNo, { node, columns }]) => {
    // The top comes first, so that its own values win.
    const [top, ...others] = spans.get(traceNo) ?? [];
    if (top === undefined) throw new Error(`Trace ${traceNo} has no row for its top`);
    const belonging = fillBelonging(NOWHERE, [top, ...others].map(belongingOf));
    return [
      traceNo,
      mergers.get(traceNo)?.nodes.length ?? 0,
      node.segment,
      node.offset,
      node.openLength,
      top.start,
      top.start_nanos,
      top.latency,
      top.name,
      top.spankind,
      top.status,
      ...belonging,
      ...columns,
    ];
  });
}

/** The tops' rows, and those of spans that say what their trace belongs to, by start, then id. */
async function tellingSpans(
  transaction: SqlRunner,
  day: number,
  tops: ReadonlyMap<number, { node: PlacedNode }>,
): Promise<Map<number, SpanRow[]>> {
  const rows = await transaction.query<SpanRow>(
    `SELECT ${SPAN_COLUMNS.replaceAll(/\w+/g, "p.$&")}
     FROM unnest($1::bigint[], $2::text[]) AS n (trace_no, top_id)
     JOIN ${tableOfDay("segments", day)} s ON s.trace_no = n.trace_no
     JOIN ${tableOfDay("spans", day)} p
       ON p.span_no >= s.first_span AND p.span_no < s.first_span + s.spans
     WHERE p.span_id = n.top_id OR coalesce(p.application, p.route, p.variant,
       p.revision::text, p.environment, p.user_id, p.session_id) IS NOT NULL
     ORDER BY p.trace_no, p.span_id <> n.top_id, p.start, p.start_nanos, p.span_id`,
    [[...tops.keys()], [...tops.values()].map(({ node }) => node.id)],
  );
  return Map.groupBy(rows, (row) => row.trace_no);
}

function belongingOf(row: SpanRow): Belonging {
  return [
    row.application,
    row.route,
    row.variant,
    row.revision,
    row.environment,
    row.user_id,
    row.session_id,
  ];
}
