import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ListContent } from "@agate/protocol";
import type { HeaderRow, PlacedNode } from "../segments/node-table.ts";
import { SegmentMerger } from "../segments/node-table.ts";
import {
  BODY_SEAL_LENGTH,
  bodySum,
  checkBody,
  checkTrace,
  DamagedSegmentError,
  decodeHeader,
  isAssembledBody,
  isAssembledEntry,
  openRecordText,
  plainBody,
  spanIdIn,
  withTraceId,
} from "../segments/segment.ts";
import { isFrame } from "../segments/segment-frame.ts";
import { isTraffic, MOST_PAGE_BYTES } from "../span-query.ts";
import type { TopsOptions, TopsRead, TreeFocus, TreeRead } from "../span-store.ts";
import type { LargeTraces } from "../trees/tree-thread.ts";
import { idHash } from "./id-hash.ts";
import type { SegmentSource } from "./placed-records.ts";
import { PlacedRecords } from "./placed-records.ts";
import { ScoreReader } from "./score-table.ts";
import { SEGMENTS_PER_TRACE, segmentOf, segmentRange } from "./span-schema.ts";
import { isCorrupt } from "./sqlite-errors.ts";

/** Header rows read before other requests may run. */
const HEADERS_PER_TURN = 64;
/** As a limit of rows. */
const ALL = -1;

const MISSING: TreeRead = { kind: "missing" };

/** A trace's top. */
interface TopRow extends SegmentRow {
  readonly offset: number;
  readonly length: number;
  readonly total: string;
}

interface TopPlace {
  readonly length: number;
  readonly run: string | null;
}

interface TracePlace {
  readonly trace_no: number;
  readonly trace_id: string;
  /** How many it has. */
  readonly segments: number;
  readonly spans: number;
}

interface SpanPlace extends TracePlace {
  readonly segment: number;
  readonly isScored: 0 | 1;
}

/** Puts a trace together from its segments and scores. */
type ReadNodes = (trace: TracePlace, focusId: string | null) => Promise<TreeRead>;

/** Whether a trace `t` has scores, which its assembled answer lacks. */
const IS_SCORED =
  "EXISTS (SELECT 1 FROM scores c WHERE c.project = t.project AND c.trace_id = t.trace_id)";

/** The headers of a trace's segments. */
interface MergedTrace {
  readonly merger: SegmentMerger;
  /** Of each segment, to tell when it was compacted since. */
  readonly bodySums: ReadonlyMap<number, number>;
}

interface SegmentRow {
  readonly header: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

type BodyRow = readonly [
  body: Uint8Array<ArrayBuffer>,
  seal: string,
  segments: number,
  isScored: 0 | 1,
];

/** Point reads over one connection, to which the index is attached as `derived`. */
export class TraceReader {
  readonly #bodies: StatementSync;
  readonly #findTrace: StatementSync;
  readonly #traceByNo: StatementSync;
  readonly #findRecentSpan: StatementSync;
  readonly #findSpan: StatementSync;
  readonly #segment: StatementSync;
  readonly #headers: StatementSync;
  readonly #topLength: StatementSync;
  readonly #top: StatementSync;
  readonly #scores: ScoreReader;
  readonly #large: LargeTraces | undefined;

  /** @param large Without it, all traces are read here. */
  constructor(db: DatabaseSync, large?: LargeTraces) {
    this.#large = large;
    this.#scores = new ScoreReader(db);
    // The hot one: a trace that is a single assembled segment is stored as its own answer.
    this.#bodies = db.prepare(
      `SELECT s.body, substr(s.header, 1, ${BODY_SEAL_LENGTH}), t.segments, ${IS_SCORED} FROM traces t
       JOIN segments s ON s.segment >= t.trace_no * ${SEGMENTS_PER_TRACE}
         AND s.segment < (t.trace_no + 1) * ${SEGMENTS_PER_TRACE}
       WHERE t.project = ? AND t.trace_id = ? LIMIT 2`,
    );
    this.#bodies.setReturnArrays(true);
    this.#findTrace = db.prepare(
      "SELECT trace_no, trace_id, segments, spans FROM traces WHERE project = ? AND trace_id = ?",
    );
    this.#traceByNo = db.prepare("SELECT segments FROM traces WHERE trace_no = ?");
    // CROSS JOIN keeps the order: from the traces first, SQLite would look at every one of them.
    this.#findRecentSpan = db.prepare(
      `SELECT p.trace_no, ${segmentOf("p")} AS segment, t.trace_id, t.segments, t.spans, ${IS_SCORED} AS isScored FROM spans p CROSS JOIN traces t USING (trace_no)
       WHERE p.span_no > (SELECT ids FROM derived.progress) AND p.span_id = ? AND t.project = ?
       ORDER BY p.span_no DESC LIMIT 1`,
    );
    this.#findSpan = db.prepare(
      `SELECT p.trace_no, ${segmentOf("p")} AS segment, t.trace_id, t.segments, t.spans, ${IS_SCORED} AS isScored FROM (
         SELECT span_no FROM derived.id_hashes WHERE hash = ?1
         UNION ALL SELECT span_no FROM derived.span_ids WHERE span_id = ?2) i
       CROSS JOIN spans p USING (span_no) CROSS JOIN traces t USING (trace_no)
       WHERE p.span_id = ?2 AND t.project = ?3 ORDER BY i.span_no DESC LIMIT 1`,
    );
    this.#segment = db.prepare("SELECT header, body FROM segments WHERE segment = ?");
    this.#headers = db.prepare(
      "SELECT segment, header FROM segments WHERE segment >= ? AND segment < ? ORDER BY segment LIMIT ?",
    );
    this.#topLength = db.prepare(
      "SELECT top_length AS length, run FROM traces WHERE project = ? AND trace_id = ?",
    );
    // One statement: compaction moves records within their segments.
    this.#top = db.prepare(
      `SELECT s.header, s.body, t.top_offset AS offset, t.top_length AS length, t.total
       FROM traces t JOIN segments s ON s.segment = t.trace_no * ${SEGMENTS_PER_TRACE} + t.top_segment
       WHERE t.project = ? AND t.trace_id = ?`,
    );
  }

  /** @throws DamagedSegmentError */
  readTree(
    project: string,
    focus: TreeFocus,
    gone?: () => AbortSignal,
  ): TreeRead | Promise<TreeRead> {
    const readNodes: ReadNodes = (trace, focusId) =>
      this.#large !== undefined && trace.spans > this.#large.spans
        ? this.#large.read(project, focus, trace.spans, gone?.())
        : this.#readNodes(project, trace, focusId, gone?.());
    return focus.kind === "trace"
      ? this.#readTrace(project, focus.traceId, readNodes)
      : this.#readSpan(project, focus.spanId, readNodes);
  }

  /**
   * The tops of these traces up to a number of bytes; at least one.
   *
   * @param onDamaged Told of traces that are left out because their top cannot be read.
   */
  readTops(
    project: string,
    traceIds: readonly string[],
    { maxBytes = MOST_PAGE_BYTES, traffic, content }: TopsOptions,
    onDamaged: (error: DamagedSegmentError) => void,
  ): TopsRead {
    const tops: string[] = [];
    let bytes = 0;
    for (const [n, traceId] of traceIds.entries()) {
      const place = this.#topLength.get(project, traceId) as TopPlace | undefined;
      if (place === undefined || !isTraffic(traffic, place.run)) continue;
      bytes += place.length;
      if (tops.length > 0 && bytes > maxBytes) return { tops, unread: traceIds.length - n };
      try {
        const top = this.#readTop(project, traceId, content);
        if (top === undefined) continue;
        bytes += top.added;
        if (tops.length > 0 && bytes > maxBytes) return { tops, unread: traceIds.length - n };
        tops.push(top.record);
      } catch (error) {
        if (!(error instanceof DamagedSegmentError)) throw error;
        onDamaged(error);
      }
    }
    return { tops, unread: 0 };
  }

  #readTop(
    project: string,
    traceId: string,
    content: ListContent | undefined,
  ): { record: string; added: number } | undefined {
    return reading(traceId, () => {
      const row = this.#top.get(project, traceId) as unknown as TopRow | undefined;
      if (row === undefined) return undefined;
      const { header, body, offset, length, total } = row;
      const open = openRecordText(plainBody(header, body, traceId), offset, length);
      const added = this.#scores.ofListed(project, traceId, spanIdIn(open), true);
      return { record: added.listed(open, total, content), added: added.bytes };
    });
  }

  #readTrace(project: string, traceId: string, readNodes: ReadNodes): TreeRead | Promise<TreeRead> {
    const rows = reading(traceId, () => this.#bodies.all(project, traceId)) as unknown as BodyRow[];
    const [only, another] = rows;
    if (only !== undefined && another === undefined) {
      const [body, seal, segments, isScored] = only;
      if (segments > 1) throw new DamagedSegmentError(traceId);
      checkBody(seal, body, traceId);
      if (isScored === 0) {
        // Of traces with one segment, only assembled ones are packed: see trace-merger.ts.
        if (isFrame(body)) return { kind: "frame", zstd: body };
        if (isAssembledBody(body)) return { kind: "assembled", json: body };
      }
    }
    // Without a segment it does not exist, has just arrived, or has lost its segments.
    const trace = this.#findTrace.get(project, traceId) as unknown as TracePlace | undefined;
    return trace === undefined ? MISSING : readNodes(trace, null);
  }

  #readSpan(project: string, spanId: string, readNodes: ReadNodes): TreeRead | Promise<TreeRead> {
    // In this order: what is indexed between the two statements is found by the second.
    const place = (this.#findRecentSpan.get(spanId, project) ??
      this.#findSpan.get(idHash(spanId), spanId, project)) as SpanPlace | undefined;
    if (place === undefined) return MISSING;
    if (place.segments > 1 || place.isScored === 1) return readNodes(place, spanId);
    return reading(place.trace_id, () => {
      const row = this.#segment.get(place.segment) as unknown as SegmentRow | undefined;
      const entry = row && decodeHeader(row.header, place.segment).find(({ id }) => id === spanId);
      if (row === undefined || entry === undefined) return readNodes(place, spanId);
      if (!isAssembledEntry(entry)) return readNodes(place, spanId);
      const body = plainBody(row.header, row.body, place.trace_id);
      const json = body.subarray(entry.offset, entry.offset + entry.treeLength);
      return { kind: "assembled", json };
    });
  }

  async #readNodes(
    project: string,
    trace: TracePlace,
    focusId: string | null,
    gone: AbortSignal | undefined,
  ): Promise<TreeRead> {
    const traceId = trace.trace_id;
    const merged = await this.#mergeWhole(trace, gone);
    if (merged === undefined) return MISSING;
    const { merger, bodySums } = merged;
    const { nodes } = merger;
    const focus = focusId === null ? null : merger.indexOf(focusId);
    if (nodes.length === 0 || focus === -1) return MISSING;
    const [, end] = segmentRange(trace.trace_no);
    const source: SegmentSource = {
      segment: (segment) => this.#segment.get(segment) as unknown as SegmentRow | undefined,
      headersAfter: (segment) =>
        this.#headers.all(segment + 1, end, ALL) as unknown as readonly HeaderRow[],
    };
    const records = new PlacedRecords(source, traceId, bodySums);
    return {
      kind: "nodes",
      nodes,
      focus,
      added: this.#scores.ofTrace(project, traceId),
      openRecords: async (wanted) => {
        records.freeSome();
        gone?.throwIfAborted();
        return reading(traceId, () =>
          wanted.map((index) => records.read(nodes.at(index) as PlacedNode)),
        );
      },
    };
  }

  /** All of a trace's segments; undefined when it is deleted meanwhile. */
  async #mergeWhole(
    trace: TracePlace,
    gone: AbortSignal | undefined,
  ): Promise<MergedTrace | undefined> {
    for (let { segments } = trace; ; ) {
      const merged = await this.#merge(trace, gone);
      if (merged.bodySums.size >= segments) return merged;
      const now = this.#traceByNo.get(trace.trace_no) as { segments: number } | undefined;
      if (now === undefined) return undefined;
      if (now.segments === segments) throw new DamagedSegmentError(trace.trace_id);
      // It was written to while it was read.
      segments = now.segments;
    }
  }

  async #merge(
    { trace_no, trace_id }: TracePlace,
    gone: AbortSignal | undefined,
  ): Promise<MergedTrace> {
    const merger = new SegmentMerger();
    const bodySums = new Map<number, number>();
    let [next, end] = segmentRange(trace_no);
    for (;;) {
      const rows = reading(trace_id, () => {
        const some = this.#headers.all(next, end, HEADERS_PER_TURN) as unknown as HeaderRow[];
        for (const row of some) {
          checkTrace(row.header, trace_id);
          merger.add(row);
          bodySums.set(row.segment, bodySum(row.header));
        }
        return some;
      });
      const last = rows.at(-1);
      if (last === undefined || rows.length < HEADERS_PER_TURN) return { merger, bodySums };
      next = last.segment + 1;
      await nextTurn();
      gone?.throwIfAborted();
    }
  }
}

/** Reads something of a trace; an error because of damage names the trace. */
function reading<Value>(traceId: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedSegmentError) throw withTraceId(error, traceId);
    throw isCorrupt(error) ? new DamagedSegmentError(traceId, error) : error;
  }
}
