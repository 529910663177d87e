import type { DatabaseSync } from "node:sqlite";
import { AFTER_LISTED_TOTAL, buildTree, totalText } from "@agate/spans/tree";
import type { HeaderRow } from "../segments/merge-segments.ts";
import { SegmentMerger } from "../segments/merge-segments.ts";
import { decodeHeader, isAssembledEntry } from "../segments/segment.ts";
import type { AnalyticsRequest, AnalyticsResult, ListPage, ListRequest } from "../span-query.ts";
import type { ProjectCount, SpanPart } from "../span-store.ts";
import { NOTHING_FOUND } from "../summary/analytics-cells.ts";
import { registerCollectNumbers } from "./collect-numbers.ts";
import { whereAfter, whereFilter } from "./list-sql.ts";
import { openForReading } from "./open-for-reading.ts";
import { runAnalytics } from "./run-analytics.ts";
import { SpanExporter } from "./span-exporter.ts";
import { SEGMENTS_PER_TRACE } from "./span-schema.ts";
import { segmentRange } from "./trace-writer.ts";

/** So many rows are looked up and sorted in some tens of milliseconds. */
const RARE_MATCHES = 20_000;

const EMPTY_PAGE: ListPage = { items: [], next: null };

interface TraceRow {
  readonly trace_id: string;
  readonly start: number;
  readonly open: Uint8Array;
  readonly total: string;
}

interface SpanRow {
  readonly span_id: string;
  readonly start: number;
  readonly segment: number;
  readonly trace_no: number;
  readonly trace_id: string;
  readonly segments: number;
}

/** Lists, search and analytics: the reads that may take long, on a connection of their own. */
export class QueryRunner {
  readonly #db: DatabaseSync;
  readonly #exporter: SpanExporter;

  constructor(directory: string) {
    this.#db = openForReading(directory);
    this.#exporter = new SpanExporter(this.#db);
    registerCollectNumbers(this.#db);
  }

  listTraces({ project, filter, limit, after }: ListRequest): ListPage {
    const where = whereFilter("t", project, filter, this.#isRare);
    if (where === undefined) return EMPTY_PAGE;
    const beyond = whereAfter("t", after);
    const rows = this.#db
      .prepare(
        `SELECT t.trace_id, t.start, t.total,
           substr(s.body, t.top_offset + 1, t.top_length) AS open
         FROM (
           SELECT * FROM traces t WHERE ${where.text} AND ${beyond.text}
           ORDER BY t.start DESC, t.trace_id DESC LIMIT ?
         ) t
         JOIN segments s ON s.segment = t.trace_no * ${SEGMENTS_PER_TRACE} + t.top_segment
         ORDER BY t.start DESC, t.trace_id DESC`,
      )
      .all(...where.values, ...beyond.values, limit + 1) as unknown as TraceRow[];
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      items: shown.map(({ open, total }) => listedRecord(open, total)),
      next:
        rows.length > limit && last !== undefined
          ? { start: last.start, traceId: last.trace_id, spanId: null }
          : null,
    };
  }

  listSpans({ project, filter, limit, after }: ListRequest): ListPage {
    const where = whereFilter("p", project, filter, this.#isRare);
    if (where === undefined) return EMPTY_PAGE;
    const beyond = whereAfter("p", after);
    const rows = this.#db
      .prepare(
        `SELECT p.span_id, p.start, p.segment, t.trace_no, t.trace_id, t.segments
         FROM spans p CROSS JOIN traces t USING (trace_no)
         WHERE ${where.text} AND ${beyond.text}
         ORDER BY p.start DESC, p.span_id DESC, t.trace_id DESC LIMIT ?`,
      )
      .all(...where.values, ...beyond.values, limit + 1) as unknown as SpanRow[];
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const recordOf = this.#spanRecords();
    return {
      items: shown.map(recordOf).filter((item) => item !== undefined),
      next:
        rows.length > limit && last !== undefined
          ? { start: last.start, traceId: last.trace_id, spanId: last.span_id }
          : null,
    };
  }

  analytics(request: AnalyticsRequest): AnalyticsResult {
    const where = whereFilter("t", request.project, request.filter, this.#isRare);
    return where === undefined ? NOTHING_FOUND : runAnalytics(this.#db, request, where);
  }

  countSpans(): ProjectCount[] {
    const counts = this.#db.prepare(
      "SELECT project, count(*) AS traces, sum(spans) AS spans FROM traces GROUP BY project ORDER BY project",
    );
    return counts.all() as unknown as ProjectCount[];
  }

  exportParts(after: string | null): SpanPart[] {
    return this.#exporter.partsAfter(after);
  }

  readonly #isRare = (match: string): boolean => {
    const { n } = this.#db
      .prepare(
        "SELECT count(*) AS n FROM (SELECT 1 FROM derived.spans_text WHERE spans_text MATCH ? LIMIT ?)",
      )
      .get(match, RARE_MATCHES + 1) as { n: number };
    return n <= RARE_MATCHES;
  };

  close(): void {
    this.#db.close();
  }

  /** Reads the listed record of a span; remembers what neighbours in the same page need too. */
  #spanRecords(): (row: SpanRow) => string | undefined {
    const readSegment = this.#db.prepare("SELECT header, body FROM segments WHERE segment = ?");
    const segments = memoise((segment: number) => {
      const row = readSegment.get(segment) as { header: string; body: Uint8Array } | undefined;
      if (row === undefined) return undefined;
      const entries = decodeHeader(row.header, segment);
      return { body: row.body, entries: new Map(entries.map((entry) => [entry.id, entry])) };
    });
    const totals = memoise((traceNo: number) => this.#totalsOf(traceNo));
    return (row) => {
      const segment = segments(row.segment);
      const entry = segment?.entries.get(row.span_id);
      // Deleted between the two statements.
      if (segment === undefined || entry === undefined) return undefined;
      const { offset, openLength, totalLength } = entry;
      const end = offset + openLength;
      const open = segment.body.subarray(offset, end);
      const total =
        row.segments === 1 && isAssembledEntry(entry)
          ? Buffer.from(segment.body.subarray(end, end + totalLength)).toString("latin1")
          : totals(row.trace_no)(row.span_id);
      return listedRecord(open, total);
    };
  }

  /** The totals of a trace that is not a single assembled segment, by span id. */
  #totalsOf(traceNo: number): (spanId: string) => string {
    const merger = new SegmentMerger();
    const headers = this.#db.prepare(
      "SELECT segment, header FROM segments WHERE segment >= ? AND segment < ? ORDER BY segment",
    );
    for (const row of headers.iterate(...segmentRange(traceNo))) {
      merger.add(row as unknown as HeaderRow);
    }
    const tree = buildTree(merger.nodes);
    return (spanId) => {
      const index = merger.indexOf(spanId);
      return totalText(tree.total(index < 0 ? tree.top : index));
    };
  }
}

function listedRecord(open: Uint8Array, total: string): string {
  return `${Buffer.from(open.buffer, open.byteOffset, open.byteLength).toString()}${total}${AFTER_LISTED_TOTAL}`;
}

function memoise<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
