import { AFTER_LISTED_TOTAL } from "@agate/spans/tree";
import type { TreeFocus, TreeRead } from "../span-store.ts";
import type { ClickHouseSession, Parameters } from "./clickhouse-session.ts";
import { RecordWindow } from "./record-window.ts";
import { recordsAt } from "./span-records.ts";
import type { NodeRow } from "./trace-nodes.ts";
import { NODE_COLUMNS, TraceNodes } from "./trace-nodes.ts";

/** A trace of up to so many rows, with records of so many bytes, is read with them in one question. */
const ROWS_AT_ONCE = 2_000;
const BYTES_AT_ONCE = 4 * 1024 * 1024;

type TraceRow = [isSmall: 0 | 1, traceId: string, record: string, ...NodeRow];

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

  /** The listed records of these traces' tops; a trace that is gone is left out. */
  async readTops(project: string, traceIds: readonly string[]): Promise<string[]> {
    const rows = await this.#session.rows<[string, string, number, string]>(
      `SELECT trace_id, (argMax((top_id, start, total), (version, 1 - moved)) AS latest).1, latest.2, latest.3
       FROM ${this.#session.table("traces_by_id")}
       WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)} GROUP BY trace_id`,
      { project, traceIds },
    );
    const tops = new Map(
      rows.map(([traceId, spanId, start, total]) => [traceId, { traceId, spanId, start, total }]),
    );
    const recordAt = await recordsAt(this.#session, project, [...tops.values()]);
    return traceIds.flatMap((traceId) => {
      const top = tops.get(traceId);
      const record = top && recordAt(top);
      return record === undefined ? [] : [`${record}${top?.total}${AFTER_LISTED_TOTAL}`];
    });
  }

  /** @param traceId Which trace, in SQL. */
  async #readTrace(
    traceId: string,
    parameters: Parameters & { readonly project: string },
    focusId: string | null,
  ): Promise<TreeRead> {
    const scope = `FROM ${this.#session.table("spans")}
       WHERE project = {project:String} AND trace_id = ${traceId}`;
    // ClickHouse answers what stands in brackets before it plans the rest: of a large trace, it does
    // not read the records.
    const rows = await this.#session.rows<TraceRow>(
      `WITH (SELECT count() <= ${ROWS_AT_ONCE} AND sum(record_bytes) <= ${BYTES_AT_ONCE} ${scope}) AS is_small
       SELECT is_small, trace_id, if(is_small, record, ''), ${NODE_COLUMNS} ${scope}`,
      parameters,
    );
    const nodes = new TraceNodes();
    const records: Uint8Array[] = [];
    for (const [, , record, ...node] of rows) {
      const index = nodes.add(node);
      if (index !== undefined) records[index] = Buffer.from(record);
    }
    const [first] = rows;
    const focus = focusId === null ? null : nodes.indexOf(focusId);
    if (first === undefined || focus === -1) return MISSING;
    const { table } = nodes;
    const [isSmall, id] = first;
    if (isSmall) {
      const openRecords = async (wanted: readonly number[]) =>
        wanted.map((index) => records[index] as Uint8Array);
      return { kind: "nodes", nodes: table, focus, openRecords };
    }
    const window = new RecordWindow(id, table, (places) =>
      recordsAt(this.#session, parameters.project, places),
    );
    return { kind: "nodes", nodes: table, focus, openRecords: (wanted) => window.get(wanted) };
  }
}
