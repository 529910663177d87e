import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { AFTER_LISTED_TOTAL } from "@agate/spans/tree";
import { BodyWindow } from "../segments/body-window.ts";
import type { HeaderRow } from "../segments/merge-segments.ts";
import { SegmentMerger } from "../segments/merge-segments.ts";
import type { PlacedNode } from "../segments/node-table.ts";
import { decodeHeader, isAssembledBody, isAssembledEntry } from "../segments/segment.ts";
import type { TopsRead, TreeFocus, TreeRead } from "../span-store.ts";
import { TraceGoneError } from "../span-store.ts";
import { SEGMENTS_PER_TRACE } from "./span-schema.ts";
import { segmentRange } from "./trace-writer.ts";

/** Header rows read before other requests get their turn. */
const HEADERS_PER_TURN = 64;

const MISSING: TreeRead = { kind: "missing" };

/** Where a trace's top lies. */
interface TopPlace {
  readonly segment: number;
  readonly offset: number;
  readonly length: number;
  readonly total: string;
}

/** Point reads over one connection, to which the index is attached as `derived`. */
export class TraceReader {
  readonly #bodies: StatementSync;
  readonly #findTrace: StatementSync;
  readonly #findRecentSpan: StatementSync;
  readonly #findSpan: StatementSync;
  readonly #segment: StatementSync;
  readonly #headers: StatementSync;
  readonly #top: StatementSync;
  readonly #piece: StatementSync;

  constructor(db: DatabaseSync) {
    // The hot one: a trace that is a single assembled segment is stored as its own answer. A second
    // row says that it is not; asking `traces.segments` instead would cost a look at another page.
    this.#bodies = db.prepare(
      `SELECT s.body FROM traces t
       JOIN segments s ON s.segment >= t.trace_no * ${SEGMENTS_PER_TRACE}
         AND s.segment < (t.trace_no + 1) * ${SEGMENTS_PER_TRACE}
       WHERE t.project = ? AND t.trace_id = ? LIMIT 2`,
    );
    this.#bodies.setReturnArrays(true);
    this.#findTrace = db.prepare("SELECT trace_no FROM traces WHERE project = ? AND trace_id = ?");
    // CROSS JOIN keeps the order: from the traces first, SQLite would look at every one of them.
    this.#findRecentSpan = db.prepare(
      `SELECT p.trace_no, p.segment, t.segments FROM spans p CROSS JOIN traces t USING (trace_no)
       WHERE p.span_no > (SELECT ids FROM derived.progress) AND p.span_id = ? AND t.project = ?
       ORDER BY p.span_no DESC LIMIT 1`,
    );
    this.#findSpan = db.prepare(
      `SELECT p.trace_no, p.segment, t.segments FROM derived.span_ids i
       CROSS JOIN spans p USING (span_no) CROSS JOIN traces t USING (trace_no)
       WHERE i.span_id = ? AND t.project = ? ORDER BY i.span_no DESC LIMIT 1`,
    );
    this.#segment = db.prepare("SELECT header, body FROM segments WHERE segment = ?");
    this.#headers = db.prepare(
      "SELECT segment, header FROM segments WHERE segment >= ? AND segment < ? ORDER BY segment LIMIT ?",
    );
    this.#top = db.prepare(
      `SELECT trace_no * ${SEGMENTS_PER_TRACE} + top_segment AS segment, top_offset AS offset,
         top_length AS length, total
       FROM traces WHERE project = ? AND trace_id = ?`,
    );
    this.#piece = db.prepare(
      "SELECT substr(body, ? + 1, ?) AS bytes FROM segments WHERE segment = ?",
    );
  }

  readTree(project: string, focus: TreeFocus): TreeRead | Promise<TreeRead> {
    return focus.kind === "trace"
      ? this.#readTrace(project, focus.traceId)
      : this.#readSpan(project, focus.spanId);
  }

  /** The tops of these traces up to a number of bytes; at least one. */
  readTops(project: string, traceIds: readonly string[], maxBytes: number): TopsRead {
    const tops: string[] = [];
    let bytes = 0;
    for (const [n, traceId] of traceIds.entries()) {
      const place = this.#top.get(project, traceId) as unknown as TopPlace | undefined;
      if (place === undefined) continue;
      const { segment, offset, length, total } = place;
      bytes += length;
      if (tops.length > 0 && bytes > maxBytes) return { tops, unread: traceIds.length - n };
      const open = this.#piece.get(offset, length, segment) as { bytes: Uint8Array } | undefined;
      if (open === undefined) continue;
      tops.push(`${Buffer.from(open.bytes).toString()}${total}${AFTER_LISTED_TOTAL}`);
    }
    return { tops, unread: 0 };
  }

  #readTrace(project: string, traceId: string): TreeRead | Promise<TreeRead> {
    const [only, another] = this.#bodies.all(project, traceId) as unknown as [
      Uint8Array<ArrayBuffer>,
    ][];
    if (only === undefined) return MISSING;
    if (another === undefined && isAssembledBody(only[0])) {
      return { kind: "assembled", json: only[0] };
    }
    const trace = this.#findTrace.get(project, traceId) as { trace_no: number } | undefined;
    if (trace === undefined) return MISSING;
    return this.#readNodes(trace.trace_no, null);
  }

  #readSpan(project: string, spanId: string): TreeRead | Promise<TreeRead> {
    // In this order: what is indexed between the two statements is found by the second.
    const place = (this.#findRecentSpan.get(spanId, project) ??
      this.#findSpan.get(spanId, project)) as
      | { trace_no: number; segment: number; segments: number }
      | undefined;
    if (place === undefined) return MISSING;
    if (place.segments > 1) return this.#readNodes(place.trace_no, spanId);
    const row = this.#segment.get(place.segment) as unknown as
      | { header: string; body: Uint8Array<ArrayBuffer> }
      | undefined;
    const entry = row && decodeHeader(row.header, place.segment).find(({ id }) => id === spanId);
    if (row === undefined || entry === undefined) return MISSING;
    if (!isAssembledEntry(entry)) return this.#readNodes(place.trace_no, spanId);
    const json = row.body.subarray(entry.offset, entry.offset + entry.treeLength);
    return { kind: "assembled", json };
  }

  async #readNodes(traceNo: number, focusId: string | null): Promise<TreeRead> {
    const merged = await this.#merge(traceNo);
    const { nodes } = merged;
    const focus = focusId === null ? null : merged.indexOf(focusId);
    if (nodes.length === 0 || focus === -1) return MISSING;
    const bodies = new BodyWindow((segment) => {
      const row = this.#segment.get(segment) as { body: Uint8Array<ArrayBuffer> } | undefined;
      if (row === undefined) throw new TraceGoneError("The trace was deleted while it was read");
      return row.body;
    });
    return {
      kind: "nodes",
      nodes,
      focus,
      openRecords: async (wanted) => {
        bodies.freeEvicted();
        return wanted.map((index) => {
          const { segment, offset, openLength } = nodes.at(index) as PlacedNode;
          return bodies.get(segment).subarray(offset, offset + openLength);
        });
      },
    };
  }

  async #merge(traceNo: number): Promise<SegmentMerger> {
    const merger = new SegmentMerger();
    let [next, end] = segmentRange(traceNo);
    for (;;) {
      const rows = this.#headers.all(next, end, HEADERS_PER_TURN) as unknown as HeaderRow[];
      for (const row of rows) merger.add(row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < HEADERS_PER_TURN) return merger;
      next = last.segment + 1;
      await nextTurn();
    }
  }
}
