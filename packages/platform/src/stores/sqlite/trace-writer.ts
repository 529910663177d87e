import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { BatchToWrite, TraceToWrite } from "../segments/segment-encoder.ts";
import type { StoredSegment, TraceAddition } from "../segments/sent-again.ts";
import { unchangedSpans, withoutSpans } from "../segments/sent-again.ts";
import { beyondLimit } from "../span-limit.ts";
import type { RejectedSpan, TraceChange } from "../span-store.ts";
import type { SpanColumns } from "../summary/summary-columns.ts";
import {
  asTrace,
  dimensionsOfNew,
  failedAmong,
  TOTAL_COLUMNS,
  topFigures,
  totalColumns,
} from "../summary/summary-columns.ts";
import { canDeferSummary } from "../summary/summary-pacer.ts";
import { numberInTrace, SEGMENTS_PER_TRACE, segmentOf, segmentRange } from "./span-schema.ts";
import { placeholders, SUMMARY_COLUMNS, TraceSummaries } from "./trace-summaries.ts";
import type { ZoneMap } from "./zone-map.ts";

/** Rows in one statement: beyond this a longer one gains nothing. */
const ROWS_AT_ONCE = 16;

/** Inserts many rows into a table; several to a statement, which takes a quarter less time. */
class BatchInsert {
  readonly #many: StatementSync;
  readonly #one: StatementSync;

  /** @param columns Names, separated by commas. */
  constructor(db: DatabaseSync, table: string, columns: string) {
    const row = `(${placeholders(columns)})`;
    const insert = `INSERT INTO ${table} (${columns}) VALUES`;
    this.#many = db.prepare(`${insert} ${Array(ROWS_AT_ONCE).fill(row).join(", ")}`);
    this.#one = db.prepare(`${insert} ${row}`);
  }

  /** @returns The number of the last row; those of the others come right before it. */
  run(rows: readonly (readonly SQLInputValue[])[]): number {
    const inMany = rows.length - (rows.length % ROWS_AT_ONCE);
    let last: number | bigint = 0;
    for (let at = 0; at < inMany; at += ROWS_AT_ONCE) {
      last = this.#many.run(...rows.slice(at, at + ROWS_AT_ONCE).flat()).lastInsertRowid;
    }
    for (const row of rows.slice(inMany)) last = this.#one.run(...row).lastInsertRowid;
    return Number(last);
  }
}

interface TraceState {
  readonly trace_no: number;
  readonly segments: number;
  readonly spans: number;
  readonly summarised: number;
}

/** A span that is sent again, as it is stored. */
interface EarlierSpan {
  readonly span_no: number;
  readonly span_id: string;
  readonly segment: number;
}

/** The result of writing a batch. */
export interface WrittenBatch {
  readonly changes: readonly TraceChange[];
  readonly rejected: readonly RejectedSpan[];
}

export interface TraceWriterOptions {
  /** A trace that holds this many takes no new ones; unlimited by default. */
  readonly maxSpansPerTrace?: number;
  /** Which summaries are deferred; tests pass their own rule. */
  readonly canDeferSummary?: typeof canDeferSummary;
}

const NONE: ReadonlySet<number> = new Set();
/** The columns of a span row, in the order of {@link SpanColumns} after its place. */
export const SPAN_COLUMNS = `trace_no, segment, project, span_id, ${SUMMARY_COLUMNS}, cost`;

/**
 * The SQL of the write side. Every method must run inside a transaction, which the caller commits, so that
 * several batches can share one commit.
 */
export class TraceWriter {
  readonly summaries: TraceSummaries;
  readonly zones: ZoneMap;
  readonly #maxSpansPerTrace: number;
  readonly #canDeferSummary: typeof canDeferSummary;
  readonly #findTrace: StatementSync;
  readonly #insertTrace: StatementSync;
  readonly #insertSegment: StatementSync;
  readonly #insertSpans: BatchInsert;
  readonly #findSpan: StatementSync;
  readonly #segment: StatementSync;
  readonly #forgetSpan: StatementSync;
  readonly #noteSuperseded: StatementSync;
  readonly #deleteSpan: StatementSync;
  readonly #lastSegment: StatementSync;
  readonly #touch: StatementSync;

  constructor(db: DatabaseSync, options: TraceWriterOptions = {}) {
    this.summaries = new TraceSummaries(db);
    this.zones = this.summaries.zones;
    this.#maxSpansPerTrace = options.maxSpansPerTrace ?? Number.POSITIVE_INFINITY;
    this.#canDeferSummary = options.canDeferSummary ?? canDeferSummary;
    this.#findTrace = db.prepare(
      "SELECT trace_no, segments, spans, summarised FROM traces WHERE project = ? AND trace_id = ?",
    );
    const traceColumns = `project, trace_id, received, segments, spans, summarised, top_length,
      ${SUMMARY_COLUMNS}, ${TOTAL_COLUMNS}`;
    this.#insertTrace = db.prepare(
      `INSERT INTO traces (top_segment, top_offset, ${traceColumns})
       VALUES (0, 0, ${placeholders(traceColumns)})`,
    );
    this.#insertSegment = db.prepare(
      "INSERT INTO segments (segment, header, body) VALUES (?, ?, ?)",
    );
    this.#insertSpans = new BatchInsert(db, "spans", SPAN_COLUMNS);
    this.#findSpan = db.prepare(
      `SELECT span_no, span_id, ${segmentOf("spans")} AS segment FROM spans
       WHERE trace_no = ? AND span_id = ?`,
    );
    this.#segment = db.prepare("SELECT header, body FROM segments WHERE segment = ?");
    this.#forgetSpan = db.prepare(
      "INSERT INTO deleted_spans (span_no, span_id, trace_no) VALUES (?, ?, ?)",
    );
    this.#noteSuperseded = db.prepare(
      "INSERT OR IGNORE INTO superseded_segments (segment) VALUES (?)",
    );
    this.#deleteSpan = db.prepare("DELETE FROM spans WHERE span_no = ?");
    this.#lastSegment = db.prepare(
      "SELECT max(segment) AS segment FROM segments WHERE segment >= ? AND segment < ?",
    );
    this.#touch = db.prepare(
      `UPDATE traces SET received = max(received, ?), segments = segments + ?, spans = spans + ?,
         summarised = max(0, summarised - ?)
       WHERE trace_no = ?`,
    );
  }

  write(batch: BatchToWrite): WrittenBatch {
    const { project } = batch;
    const changes: TraceChange[] = [];
    const rejected: RejectedSpan[] = [];
    for (const trace of batch.traces) {
      const { traceId } = trace;
      const known = this.#findTrace.get(project, traceId) as TraceState | undefined;
      const beyond =
        known === undefined ? this.#writeNew(batch, trace) : this.#writeMore(batch, trace, known);
      for (const index of beyond) {
        rejected.push({ traceId, spanId: (trace.columns[index] as SpanColumns)[0] });
      }
      changes.push({ project, traceId, isNew: known === undefined });
    }
    this.zones.write();
    return { changes, rejected };
  }

  /** @returns The spans that the trace has no room for, by index. */
  #writeNew(batch: BatchToWrite, trace: TraceToWrite): ReadonlySet<number> {
    const count = trace.columns.length;
    const beyond = beyondLimit(count, () => false, 0, this.#maxSpansPerTrace);
    const top = trace.columns[trace.top] as SpanColumns;
    const dimensions = dimensionsOfNew(trace.columns, top);
    const inserted = this.#insertTrace.run(
      batch.project,
      trace.traceId,
      batch.receivedAt,
      trace.segments.length,
      count,
      count,
      trace.topOpenLength,
      ...topFigures(top),
      ...dimensions,
      ...totalColumns(trace.total, failedAmong(trace.columns)),
    );
    const traceNo = Number(inserted.lastInsertRowid);
    this.zones.add("t", traceNo, batch.project, asTrace(top, dimensions, trace.total.cost));
    const first = traceNo * SEGMENTS_PER_TRACE;
    if (beyond.size === 0) {
      this.#writeSegments(batch.project, traceNo, first, trace);
      return beyond;
    }
    const { trace: fitting } = withoutSpans(trace, (index) => beyond.has(index));
    this.#writeSegments(batch.project, traceNo, first, fitting);
    this.#touch.run(
      batch.receivedAt,
      fitting.segments.length - trace.segments.length,
      0,
      0,
      traceNo,
    );
    // The row was made from all spans that were sent.
    this.summaries.summarise(traceNo);
    return beyond;
  }

  /** @returns The spans that the trace has no room for, by index. */
  #writeMore(batch: BatchToWrite, sent: TraceToWrite, known: TraceState): ReadonlySet<number> {
    const traceNo = known.trace_no;
    const earlier = sent.columns.map(
      ([spanId]) => this.#findSpan.get(traceNo, spanId) as EarlierSpan | undefined,
    );
    const unchanged = this.#unchanged(sent, earlier);
    const beyond = beyondLimit(
      earlier.length,
      (index) => earlier[index] !== undefined,
      known.spans,
      this.#maxSpansPerTrace,
    );
    const isWritten = (index: number) => !unchanged.has(index) && !beyond.has(index);
    const isWhole = unchanged.size === 0 && beyond.size === 0;
    const trace = isWhole ? sent : withoutSpans(sent, (index) => !isWritten(index)).trace;
    const replaced = earlier.filter(
      (span, n) => span !== undefined && isWritten(n),
    ) as EarlierSpan[];
    for (const { span_no, span_id } of replaced) {
      this.#deleteSpan.run(span_no);
      this.#forgetSpan.run(span_no, span_id, traceNo);
    }
    for (const segment of new Set(replaced.map((span) => span.segment))) {
      this.#noteSuperseded.run(segment);
    }
    const [first, end] = segmentRange(traceNo);
    const last = this.#lastSegment.get(first, end) as { segment: number };
    this.#writeSegments(batch.project, traceNo, last.segment + 1, trace);
    const added = trace.columns.length - replaced.length;
    this.#touch.run(batch.receivedAt, trace.segments.length, added, replaced.length, traceNo);
    if (trace.columns.length === 0) return beyond;
    const spans = known.spans + added;
    const summarised = known.summarised - replaced.length;
    this.summaries.noteWrite(traceNo);
    if (!this.#canDeferSummary({ spans, summarised })) this.summaries.summarise(traceNo);
    return beyond;
  }

  /** Spans that are stored as they were sent, by index. */
  #unchanged(
    trace: TraceToWrite,
    earlier: readonly (EarlierSpan | undefined)[],
  ): ReadonlySet<number> {
    if (earlier.every((span) => span === undefined)) return NONE;
    const segments = new Map<number, StoredSegment | undefined>();
    return unchangedSpans(trace, (index) => {
      const segment = earlier[index]?.segment;
      if (segment === undefined) return undefined;
      if (!segments.has(segment)) {
        segments.set(segment, this.#segment.get(segment) as StoredSegment | undefined);
      }
      return segments.get(segment);
    });
  }

  #writeSegments(project: string, traceNo: number, first: number, trace: TraceAddition): void {
    const [, end] = segmentRange(traceNo);
    if (first + trace.segments.length > end) {
      throw new RangeError(`Trace ${trace.traceId} has more than ${SEGMENTS_PER_TRACE} segments`);
    }
    for (const [n, { header, body, spans }] of trace.segments.entries()) {
      const segment = first + n;
      this.#insertSegment.run(segment, header, body);
      const last = this.#insertSpans.run(
        spans.map((index) => [
          traceNo,
          numberInTrace(segment),
          project,
          ...(trace.columns[index] as SpanColumns),
        ]),
      );
      const before = last - spans.length;
      for (const [n, index] of spans.entries()) {
        this.zones.add("p", before + n + 1, project, trace.columns[index] as SpanColumns);
      }
    }
  }
}
