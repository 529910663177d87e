import { isTraffic, MOST_PAGE_BYTES } from "../span-query.ts";
import type { TopsOptions, TopsRead, TreeFocus, TreeRead } from "../span-store.ts";
import type { LargeTraces } from "../trees/tree-thread.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";
import { POINT_READ } from "./clickhouse-session.ts";
import type { StoredScoreRow } from "./score-table.ts";
import { additionsIn, additionsOfTrace, ListedScores, scoreRows } from "./score-table.ts";
import type { SpanPlace } from "./span-records.ts";
import { RecordWindow, recordBytesAt, recordsAt } from "./span-records.ts";
import { nodesOf } from "./stored-summaries.ts";
import type { NodeRow } from "./trace-nodes.ts";
import { NODE_COLUMNS, TraceNodes } from "./trace-nodes.ts";

/**
 * A trace of up to this many rows is read in one query, with all but its long records: the cost of a query
 * is mostly its overhead.
 */
const ROWS_AT_ONCE = 512;
const RECORD_AT_ONCE = 32 * 1024;

type TraceRow = [traceId: string, record: string, ...NodeRow];

const MISSING: TreeRead = { kind: "missing" };

/** Reads traces, and spans with what is below them. */
export class TraceReader {
  readonly #session: ClickHouseSession;
  readonly #large: LargeTraces | undefined;

  /** @param large Without it, all traces are read here. */
  constructor(session: ClickHouseSession, large?: LargeTraces) {
    this.#session = session;
    this.#large = large;
  }

  /** Its queries are cancelled when `gone` fires. */
  async readTree(project: string, focus: TreeFocus, gone?: () => AbortSignal): Promise<TreeRead> {
    const signal = gone?.();
    const session = signal === undefined ? this.#session : this.#session.until({ signal });
    const all = await spansAndScores(session, project, focus);
    const rows = all.filter(isSpan);
    const [first] = rows;
    if (first === undefined) return MISSING;
    const [traceId] = first;
    const isWhole = rows.length <= ROWS_AT_ONCE;
    if (this.#large !== undefined) {
      const spans = isWhole ? rows.length : await countRows(session, project, traceId);
      if (spans > this.#large.spans) return this.#large.read(project, focus, spans, signal);
    }
    const { nodes, records } = isWhole
      ? nodesWithRecords(rows)
      : { nodes: (await nodesOf(session, project, [traceId])).get(traceId), records: [] };
    const index = focus.kind === "trace" ? null : nodes?.indexOf(focus.spanId);
    if (nodes === undefined || index === undefined || index === -1) return MISSING;
    const read = (places: readonly SpanPlace[]) => recordsAt(session, project, places);
    const window = new RecordWindow(traceId, nodes.table, read, records);
    return {
      kind: "nodes",
      nodes: nodes.table,
      focus: index,
      added:
        focus.kind === "trace"
          ? additionsIn(session, { project, traceId }, all.filter(isScore))
          : await additionsOfTrace(session, project, traceId),
      openRecords: (wanted) => window.get(wanted),
    };
  }

  /** The tops of these traces up to a number of bytes; at least one. */
  async readTops(
    project: string,
    traceIds: readonly string[],
    { maxBytes = MOST_PAGE_BYTES, traffic, content }: TopsOptions,
  ): Promise<TopsRead> {
    const rows = await this.#session.rows<[string, string, number, string, string | null]>(
      `SELECT trace_id, (argMax((top_id, start, total, run), (version, 1 - moved)) AS latest).1,
         latest.2, latest.3, latest.4
       FROM ${this.#session.table("traces_by_id")}
       WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)} GROUP BY trace_id`,
      { project, traceIds },
    );
    const wanted = rows.filter(([, , , , run]) => isTraffic(traffic, run));
    const byId = new Map(
      wanted.map(([traceId, spanId, start, total]) => [traceId, { traceId, spanId, start, total }]),
    );
    const tops = traceIds.map((id) => byId.get(id)).filter((top) => top !== undefined);
    const [bytesAt, scores] = await Promise.all([
      recordBytesAt(this.#session, project, tops),
      ListedScores.of(this.#session, project, tops, true),
    ]);
    let bytes = 0;
    const end = tops.findIndex((top, n) => {
      bytes += (bytesAt(top) ?? 0) + scores.bytesAfter(top);
      return n > 0 && bytes > maxBytes;
    });
    const read = end < 0 ? tops : tops.slice(0, end);
    const [recordAt, scoresAt] = await Promise.all([
      recordsAt(this.#session, project, read),
      scores.read(read),
    ]);
    const records = read.flatMap((top) => {
      const record = recordAt(top);
      return record === undefined ? [] : [scoresAt(top).listed(record, top.total, content)];
    });
    return { tops: records, unread: tops.length - read.length };
  }
}

const isSpan = (row: TraceRow | StoredScoreRow): row is TraceRow => row[0] !== "";
const isScore = (row: TraceRow | StoredScoreRow): row is StoredScoreRow => row[0] === "";

/**
 * Spans of the trace that is asked for: all of them, or one more than are read at once. With those of a trace come its
 * scores, since a further statement would take the database half as long; those of a span's trace can only be asked
 * for when the trace is known.
 */
export function spansAndScores(
  session: ClickHouseSession,
  project: string,
  focus: TreeFocus,
): Promise<(TraceRow | StoredScoreRow)[]> {
  const spans = session.table("spans");
  const isTrace = focus.kind === "trace";
  const traceId = isTrace
    ? "{traceId:String}"
    : `(SELECT trace_id FROM ${spans}
       WHERE project = {project:String} AND span_id = {spanId:String} ORDER BY version DESC LIMIT 1)`;
  return session.rows(
    `SELECT trace_id, if(record_bytes <= ${RECORD_AT_ONCE}, record, ''), ${NODE_COLUMNS} FROM ${spans}
     WHERE project = {project:String} AND trace_id = ${traceId} LIMIT ${ROWS_AT_ONCE + 1}
     ${isTrace ? `UNION ALL ${scoreRows(session)}` : ""}`,
    isTrace ? { project, traceId: focus.traceId } : { project, spanId: focus.spanId },
    // A span is looked for in all days.
    isTrace ? POINT_READ : {},
  );
}

/** Each write of a span counts: all of them are read. */
async function countRows(
  session: ClickHouseSession,
  project: string,
  traceId: string,
): Promise<number> {
  const [row] = await session.rows<[number]>(
    `SELECT count() FROM ${session.table("spans")}
     WHERE project = {project:String} AND trace_id = {traceId:String}`,
    { project, traceId },
  );
  return row?.[0] ?? 0;
}

/** The records are by node; those that are long are not among them. */
function nodesWithRecords(rows: readonly TraceRow[]) {
  const nodes = new TraceNodes();
  const records = new Map<number, Uint8Array>();
  for (const [, record, ...node] of rows) {
    const index = nodes.add(node);
    if (index === undefined) continue;
    if (record === "") records.delete(index);
    else records.set(index, Buffer.from(record));
  }
  return { nodes, records };
}
