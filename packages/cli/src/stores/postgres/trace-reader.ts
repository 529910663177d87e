import { AFTER_LISTED_TOTAL } from "@agate/spans/tree";
import { SegmentMerger } from "../segments/merge-segments.ts";
import { decodeHeader, isAssembledBody, isAssembledEntry } from "../segments/segment.ts";
import type { TopsRead, TreeFocus, TreeRead } from "../span-store.ts";
import { tableOfDay } from "./day.ts";
import { openRecordsOf } from "./open-records.ts";
import { unpack } from "./packed-bytes.ts";
import { segmentsInOrder } from "./read-segments.ts";
import type { SpanDatabase } from "./span-database.ts";
import { isMissingDay } from "./span-database.ts";

const MISSING: TreeRead = { kind: "missing" };
/** Header rows read at a time: other requests get their turn between. */
const HEADERS_PER_READ = 256;

interface TracePlace {
  readonly trace_no: number;
  readonly day: number;
  readonly segments: number;
}

interface SpanPlace extends TracePlace {
  readonly segment: number;
}

interface HeaderRow {
  readonly segment: number;
  readonly header: Buffer<ArrayBuffer>;
}

interface TopRow {
  readonly trace_id: string;
  readonly trace_no: number;
  readonly day: number;
  readonly segment: number;
  readonly top_offset: number;
  readonly top_length: number;
  readonly total: string;
}

/** Trees, and the tops of traces. */
export class TraceReader {
  readonly #database: SpanDatabase;

  constructor(database: SpanDatabase) {
    this.#database = database;
  }

  async readTree(project: string, focus: TreeFocus): Promise<TreeRead> {
    try {
      return focus.kind === "trace"
        ? await this.#readTrace(project, focus.traceId)
        : await this.#readSpan(project, focus.spanId);
    } catch (error) {
      // Its day was dropped between two statements.
      if (isMissingDay(error)) return MISSING;
      throw error;
    }
  }

  /** The tops of these traces up to a number of bytes; at least one. */
  async readTops(
    project: string,
    traceIds: readonly string[],
    maxBytes: number,
  ): Promise<TopsRead> {
    const places = await this.#database.query<TopRow>(
      `SELECT trace_id, trace_no, day, top_segment AS segment, top_offset, top_length, total
       FROM agate.traces WHERE project = $1 AND trace_id = ANY($2::text[])`,
      [project, traceIds],
      "places-of-tops",
    );
    const byId = new Map(places.map((place) => [place.trace_id, place]));
    const ordered = traceIds.map((id) => byId.get(id)).filter((place) => place !== undefined);
    const tops: string[] = [];
    let bytes = 0;
    let seen = 0;
    for await (const { row, segment } of segmentsInOrder(this.#database, ordered)) {
      bytes += row.top_length;
      if (tops.length > 0 && bytes > maxBytes) return { tops, unread: ordered.length - seen };
      seen++;
      const body = await segment?.body();
      if (body === undefined) continue;
      const open = body.toString("utf8", row.top_offset, row.top_offset + row.top_length);
      tops.push(`${open}${row.total}${AFTER_LISTED_TOTAL}`);
    }
    return { tops, unread: 0 };
  }

  async #readTrace(project: string, traceId: string): Promise<TreeRead> {
    const [place] = await this.#database.query<TracePlace>(
      "SELECT trace_no, day, segments FROM agate.traces WHERE project = $1 AND trace_id = $2",
      [project, traceId],
      "place-of-trace",
    );
    if (place === undefined) return MISSING;
    const table = tableOfDay("segments", place.day);
    if (place.segments > 1) return this.#readNodes(place, null);
    // A second row says that more has come meanwhile.
    const [only, another] = await this.#database.query<{ body: Buffer<ArrayBuffer> }>(
      `SELECT body FROM ${table} WHERE trace_no = $1 ORDER BY segment LIMIT 2`,
      [place.trace_no],
      `bodies-of-${table}`,
    );
    if (only === undefined) return MISSING;
    const json = unpack(only.body);
    if (another !== undefined || !isAssembledBody(json)) return this.#readNodes(place, null);
    return { kind: "assembled", json: inOwnMemory(json) };
  }

  async #readSpan(project: string, spanId: string): Promise<TreeRead> {
    // A sum, so that PostgreSQL finds spans by their ids: in many small days it would walk them all by
    // their numbers, in the hope of meeting one soon.
    const [place] = await this.#database.query<SpanPlace>(
      `SELECT p.trace_no, p.day, p.segment, t.segments
       FROM agate.spans p JOIN agate.traces t ON t.trace_no = p.trace_no
       WHERE p.span_id = $1 AND p.project = $2 ORDER BY p.span_no + 0 DESC LIMIT 1`,
      [spanId, project],
      "place-of-span",
    );
    if (place === undefined) return MISSING;
    if (place.segments > 1) return this.#readNodes(place, spanId);
    const table = tableOfDay("segments", place.day);
    const [row] = await this.#database.query<HeaderRow & { body: Buffer<ArrayBuffer> }>(
      `SELECT segment, header, body FROM ${table} WHERE trace_no = $1 AND segment = $2`,
      [place.trace_no, place.segment],
      `segment-of-${table}`,
    );
    const entry = row && entriesOf(row).find(({ id }) => id === spanId);
    if (row === undefined || entry === undefined) return MISSING;
    if (!isAssembledEntry(entry)) return this.#readNodes(place, spanId);
    const json = unpack(row.body).subarray(entry.offset, entry.offset + entry.treeLength);
    return { kind: "assembled", json: inOwnMemory(json) };
  }

  async #readNodes({ trace_no, day }: TracePlace, focusId: string | null): Promise<TreeRead> {
    const merged = await this.#merge(trace_no, day);
    const { nodes } = merged;
    const focus = focusId === null ? null : merged.indexOf(focusId);
    if (nodes.length === 0 || focus === -1) return MISSING;
    const openRecords = openRecordsOf(this.#database, { traceNo: trace_no, day }, nodes);
    return { kind: "nodes", nodes, focus, openRecords };
  }

  async #merge(traceNo: number, day: number): Promise<SegmentMerger> {
    const merger = new SegmentMerger();
    for (let next = 0; ; ) {
      const rows = await this.#database.query<HeaderRow>(
        `SELECT segment, header FROM ${tableOfDay("segments", day)}
         WHERE trace_no = $1 AND segment >= $2 ORDER BY segment LIMIT ${HEADERS_PER_READ}`,
        [traceNo, next],
      );
      for (const { segment, header } of rows) {
        merger.add({ segment, header: unpack(header).toString() });
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < HEADERS_PER_READ) return merger;
      next = last.segment + 1;
    }
  }
}

function entriesOf({ segment, header }: HeaderRow) {
  return decodeHeader(unpack(header).toString(), segment);
}

/** The client and zlib cut what they give out of memory that others use. */
function inOwnMemory(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
