import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { buildTree } from "@agate/spans/tree";
import type { HeaderRow, PlacedNode } from "../segments/node-table.ts";
import { SegmentMerger } from "../segments/node-table.ts";
import { DamagedSegmentError } from "../segments/segment.ts";
import type { BatchToWrite, TraceToWrite } from "../segments/segment-encoder.ts";
import type { StoredSegment, TraceAddition } from "../segments/sent-again.ts";
import { unchangedSpans, withoutSpans } from "../segments/sent-again.ts";
import { beyondLimit } from "../span-limit.ts";
import type { RejectedSpan, TraceChange } from "../span-store.ts";
import type { SpanColumns, TraceDimensions } from "../summary/summary-columns.ts";
import {
  DIMENSION_COLUMNS,
  dimensionsOfNew,
  fillDimensions,
  NO_DIMENSIONS,
  topFigures,
  totalColumns,
} from "../summary/summary-columns.ts";
import { canDeferSummary } from "../summary/summary-pacer.ts";
import { SEGMENTS_PER_TRACE, segmentRange } from "./span-schema.ts";

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

  run(rows: readonly (readonly SQLInputValue[])[]): void {
    const inMany = rows.length - (rows.length % ROWS_AT_ONCE);
    for (let at = 0; at < inMany; at += ROWS_AT_ONCE) {
      this.#many.run(...rows.slice(at, at + ROWS_AT_ONCE).flat());
    }
    for (const row of rows.slice(inMany)) this.#one.run(...row);
  }
}

/** A question mark for each of these columns. */
export function placeholders(columns: string): string {
  return columns.replaceAll(/\w+/g, "?");
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

/** A summary that was made over a snapshot. */
export interface TraceSummary {
  readonly traceNo: number;
  /** Of {@link TRACE_SUMMARY}. */
  readonly values: readonly SQLInputValue[];
  /** Of the top's segment: where it is another by now, the place of the top is wrong. */
  readonly topHeader: string;
}

const NONE: ReadonlySet<number> = new Set();
const TOP_FIGURES = "start, start_nanos, latency, name, spankind, status";
const SUMMARY_COLUMNS = `${TOP_FIGURES}, ${DIMENSION_COLUMNS}`;
/** What {@link TraceWriter.summaryOf} gives a value for, in its order. */
export const TRACE_SUMMARY = `${SUMMARY_COLUMNS}, top_segment, top_offset, top_length, spans,
  summarised, cost, input_tokens, output_tokens, total_tokens, total`;
const SUMMARY_NAMES = TRACE_SUMMARY.split(/,\s*/);
const [TOP_SEGMENT, SPANS, SUMMARISED] = ["top_segment", "spans", "summarised"].map((name) =>
  SUMMARY_NAMES.indexOf(name),
) as [number, number, number];
/** The columns of a span row, in the order of {@link SpanColumns} after its place. */
export const SPAN_COLUMNS = `trace_no, segment, project, span_id, ${SUMMARY_COLUMNS}, cost`;

/**
 * The SQL of the write side. Every method must run inside a transaction, which the caller commits, so that
 * several batches can share one commit.
 */
export class TraceWriter {
  readonly #maxSpansPerTrace: number;
  readonly #canDeferSummary: typeof canDeferSummary;
  readonly #countOf: StatementSync;
  readonly #findTrace: StatementSync;
  readonly #insertTrace: StatementSync;
  readonly #insertSegment: StatementSync;
  readonly #insertSpans: BatchInsert;
  readonly #findSpan: StatementSync;
  readonly #segment: StatementSync;
  readonly #forgetSpan: StatementSync;
  readonly #noteSuperseded: StatementSync;
  readonly #deleteSpan: StatementSync;
  readonly #headers: StatementSync;
  readonly #lastSegment: StatementSync;
  readonly #touch: StatementSync;
  readonly #dimensions: StatementSync;
  readonly #topFigures: StatementSync;
  readonly #summarise: StatementSync;
  readonly #behind: StatementSync;
  /** The trace whose summary is made elsewhere, and whether it was written to since that began. */
  #elsewhere: { readonly traceNo: number; isWritten: boolean } | undefined;

  constructor(db: DatabaseSync, options: TraceWriterOptions = {}) {
    this.#maxSpansPerTrace = options.maxSpansPerTrace ?? Number.POSITIVE_INFINITY;
    this.#canDeferSummary = options.canDeferSummary ?? canDeferSummary;
    this.#countOf = db.prepare("SELECT spans FROM traces WHERE trace_no = ?");
    this.#findTrace = db.prepare(
      "SELECT trace_no, segments, spans, summarised FROM traces WHERE project = ? AND trace_id = ?",
    );
    const traceColumns = `project, trace_id, received, segments, spans, summarised, top_length,
      ${SUMMARY_COLUMNS}, cost, input_tokens, output_tokens, total_tokens, total`;
    this.#insertTrace = db.prepare(
      `INSERT INTO traces (top_segment, top_offset, ${traceColumns})
       VALUES (0, 0, ${placeholders(traceColumns)})`,
    );
    this.#insertSegment = db.prepare(
      "INSERT INTO segments (segment, header, body) VALUES (?, ?, ?)",
    );
    this.#insertSpans = new BatchInsert(db, "spans", SPAN_COLUMNS);
    this.#findSpan = db.prepare(
      "SELECT span_no, span_id, segment FROM spans WHERE trace_no = ? AND span_id = ?",
    );
    this.#segment = db.prepare("SELECT header, body FROM segments WHERE segment = ?");
    this.#forgetSpan = db.prepare("INSERT INTO deleted_spans (span_no, span_id) VALUES (?, ?)");
    this.#noteSuperseded = db.prepare(
      "INSERT OR IGNORE INTO superseded_segments (segment) VALUES (?)",
    );
    this.#deleteSpan = db.prepare("DELETE FROM spans WHERE span_no = ?");
    this.#headers = db.prepare(
      "SELECT segment, header FROM segments WHERE segment >= ? AND segment < ? ORDER BY segment",
    );
    this.#lastSegment = db.prepare(
      "SELECT max(segment) AS segment FROM segments WHERE segment >= ? AND segment < ?",
    );
    this.#touch = db.prepare(
      `UPDATE traces SET received = max(received, ?), segments = segments + ?, spans = spans + ?,
         summarised = max(0, summarised - ?)
       WHERE trace_no = ?`,
    );
    this.#dimensions = db.prepare(
      `SELECT ${DIMENSION_COLUMNS} FROM spans WHERE trace_no = ? AND coalesce(${DIMENSION_COLUMNS}) IS NOT NULL
       ORDER BY span_id <> ?, start, start_nanos, span_id`,
    );
    this.#dimensions.setReturnArrays(true);
    this.#topFigures = db.prepare(
      `SELECT ${TOP_FIGURES} FROM spans WHERE trace_no = ? AND span_id = ?`,
    );
    this.#topFigures.setReturnArrays(true);
    this.#summarise = db.prepare(
      `UPDATE traces SET (${TRACE_SUMMARY}) = (${placeholders(TRACE_SUMMARY)}) WHERE trace_no = ?`,
    );
    this.#behind = db.prepare("SELECT trace_no FROM traces WHERE summarised < spans");
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
    return { changes, rejected };
  }

  /** A large trace that has grown since its summary was made, if there is one besides `except`. */
  nextBehind(except: ReadonlySet<number>): number | undefined {
    for (const row of this.#behind.iterate()) {
      const { trace_no } = row as { trace_no: number };
      if (!except.has(trace_no)) return trace_no;
    }
    return undefined;
  }

  /** @returns The spans that the trace has no room for, by index. */
  #writeNew(batch: BatchToWrite, trace: TraceToWrite): ReadonlySet<number> {
    const count = trace.columns.length;
    const beyond = beyondLimit(count, () => false, 0, this.#maxSpansPerTrace);
    const top = trace.columns[trace.top] as SpanColumns;
    const inserted = this.#insertTrace.run(
      batch.project,
      trace.traceId,
      batch.receivedAt,
      trace.segments.length,
      count,
      count,
      trace.topOpenLength,
      ...topFigures(top),
      ...dimensionsOfNew(trace.columns, top),
      ...totalColumns(trace.total),
    );
    const traceNo = Number(inserted.lastInsertRowid);
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
    this.summarise(traceNo);
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
      this.#forgetSpan.run(span_no, span_id);
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
    if (this.#elsewhere?.traceNo === traceNo) this.#elsewhere.isWritten = true;
    if (!this.#canDeferSummary({ spans, summarised })) this.summarise(traceNo);
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
      this.#insertSpans.run(
        spans.map((index) => [traceNo, segment, project, ...(trace.columns[index] as SpanColumns)]),
      );
    }
  }

  /** Makes the summary of a trace from its spans. */
  summarise(traceNo: number): void {
    this.#summarise.run(...this.summaryOf(traceNo), traceNo);
  }

  /** To be called before the summary of a trace is made over another connection. */
  beginSummary(traceNo: number): void {
    this.#elsewhere = { traceNo, isWritten: false };
  }

  /**
   * Makes a summary for the writer of another connection; the reads must share a transaction.
   *
   * @returns Undefined when the trace is not there.
   */
  readSummary(traceNo: number): TraceSummary | undefined {
    if (this.#countOf.get(traceNo) === undefined) return undefined;
    const values = this.summaryOf(traceNo);
    return { traceNo, values, topHeader: this.#topHeader(traceNo, values) ?? "" };
  }

  /**
   * Takes over the summary that was begun. The trace stays behind if it was written to since; nothing
   * happens where it was deleted, or where its top is at another place by now.
   */
  endSummary(summary: TraceSummary | undefined): void {
    const begun = this.#elsewhere;
    this.#elsewhere = undefined;
    if (summary === undefined || begun?.traceNo !== summary.traceNo) return;
    const { traceNo, topHeader } = summary;
    const trace = this.#countOf.get(traceNo) as { spans: number } | undefined;
    if (trace === undefined || this.#topHeader(traceNo, summary.values) !== topHeader) return;
    const values = [...summary.values];
    if (begun.isWritten) {
      values[SUMMARISED] = Math.min(Number(values[SPANS]), trace.spans - 1);
      values[SPANS] = trace.spans;
    }
    this.#summarise.run(...values, traceNo);
  }

  /** The header of the segment that a summary has its top in. */
  #topHeader(traceNo: number, values: readonly SQLInputValue[]): string | undefined {
    const segment = traceNo * SEGMENTS_PER_TRACE + Number(values[TOP_SEGMENT]);
    return (this.#segment.get(segment) as StoredSegment | undefined)?.header;
  }

  /** What the summary of a trace should be: a value for each of {@link TRACE_SUMMARY}. */
  summaryOf(traceNo: number): SQLInputValue[] {
    const merger = new SegmentMerger();
    for (const row of this.#headers.iterate(...segmentRange(traceNo))) {
      merger.add(row as unknown as HeaderRow);
    }
    const { nodes } = merger;
    const tree = buildTree(nodes);
    const top = nodes.at(tree.top) as PlacedNode;
    const figures = this.#topFigures.get(traceNo, top.id) as unknown as SQLInputValue[] | undefined;
    // The row is missing: `agate check --repair-index` rebuilds it.
    if (figures === undefined) throw new DamagedSegmentError(null);
    // The top comes first, so that its own values win.
    const rows = this.#dimensions.iterate(traceNo, top.id) as unknown as Iterable<TraceDimensions>;
    return [
      ...figures,
      ...fillDimensions(NO_DIMENSIONS, rows),
      top.segment - traceNo * SEGMENTS_PER_TRACE,
      top.offset,
      top.openLength,
      nodes.length,
      nodes.length,
      ...totalColumns(tree.total(tree.top)),
    ];
  }
}
