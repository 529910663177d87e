import { AFTER_LISTED_TOTAL } from "@agate/spans/tree";
import type { TopsRead, TreeFocus, TreeRead } from "../span-store.ts";
import type { ClickHouseSession, Parameters } from "./clickhouse-session.ts";
import { RecordWindow } from "./record-window.ts";
import type { SpanPlace } from "./span-records.ts";
import { recordBytesAt, recordsAt } from "./span-records.ts";
import { nodesOf } from "./stored-summaries.ts";
import type { NodeRow } from "./trace-nodes.ts";
import { NODE_COLUMNS, TraceNodes } from "./trace-nodes.ts";

/**
 * A trace of up to so many rows is read in one question, with its records but for those that are long:
 * what a statement takes by itself is most of what a read takes.
 */
const ROWS_AT_ONCE = 512;
const RECORD_AT_ONCE = 32 * 1024;

type TraceRow = [traceId: string, record: string, ...NodeRow];

const MISSING: TreeRead = { kind: "missing" };

/** Reads traces, and spans with what is below them. */
export class TraceReader {
  readonly #session: ClickHouseSession;

  constructor(session: ClickHouseSession) {
    this.#session = session;
  }

  readTree(project: string, focus: TreeFocus): Promise<TreeRead> {
    if (focus.kind === "trace") {
      return this.#readTrace("{traceId:String}", { project, traceId: focus.traceId }, null);
    }
    const found = `(SELECT trace_id FROM ${this.#session.table("spans")}
       WHERE project = {project:String} AND span_id = {spanId:String} ORDER BY version DESC LIMIT 1)`;
    const { spanId } = focus;
    return this.#readTrace(found, { project, spanId }, spanId);
  }

  /** The tops of these traces up to a number of bytes; at least one. */
  async readTops(
    project: string,
    traceIds: readonly string[],
    maxBytes: number,
  ): Promise<TopsRead> {
    const rows = await this.#session.rows<[string, string, number, string]>(
      `SELECT trace_id, (argMax((top_id, start, total), (version, 1 - moved)) AS latest).1, latest.2, latest.3
       FROM ${this.#session.table("traces_by_id")}
       WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)} GROUP BY trace_id`,
      { project, traceIds },
    );
    const byId = new Map(
      rows.map(([traceId, spanId, start, total]) => [traceId, { traceId, spanId, start, total }]),
    );
    const tops = traceIds.map((id) => byId.get(id)).filter((top) => top !== undefined);
    const bytesAt = await recordBytesAt(this.#session, project, tops);
    let bytes = 0;
    const end = tops.findIndex((top, n) => {
      bytes += bytesAt(top) ?? 0;
      return n > 0 && bytes > maxBytes;
    });
    const read = end < 0 ? tops : tops.slice(0, end);
    const recordAt = await recordsAt(this.#session, project, read);
    const records = read.flatMap((top) => {
      const record = recordAt(top);
      return record === undefined ? [] : [`${record}${top.total}${AFTER_LISTED_TOTAL}`];
    });
    return { tops: records, unread: tops.length - read.length };
  }

  /** @param traceId Which trace, in SQL. */
  async #readTrace(
    traceId: string,
    parameters: Parameters & { readonly project: string },
    focusId: string | null,
  ): Promise<TreeRead> {
    const { project } = parameters;
    const rows = await this.#session.rows<TraceRow>(
      `SELECT trace_id, if(record_bytes <= ${RECORD_AT_ONCE}, record, ''), ${NODE_COLUMNS}
       FROM ${this.#session.table("spans")}
       WHERE project = {project:String} AND trace_id = ${traceId} LIMIT ${ROWS_AT_ONCE + 1}`,
      parameters,
    );
    const [first] = rows;
    if (first === undefined) return MISSING;
    const [id] = first;
    const isLarge = rows.length > ROWS_AT_ONCE;
    const { nodes, records } = isLarge
      ? { nodes: (await nodesOf(this.#session, project, [id])).get(id), records: [] }
      : nodesWithRecords(rows);
    const focus = focusId === null ? null : nodes?.indexOf(focusId);
    if (nodes === undefined || focus === undefined || focus === -1) return MISSING;
    const read = (places: readonly SpanPlace[]) => recordsAt(this.#session, project, places);
    const window = new RecordWindow(id, nodes.table, read, records);
    return {
      kind: "nodes",
      nodes: nodes.table,
      focus,
      openRecords: (wanted) => window.get(wanted),
    };
  }
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
