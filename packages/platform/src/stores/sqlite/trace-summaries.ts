import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { buildTree } from "@agate/spans/tree";
import type { HeaderRow, PlacedNode } from "../segments/node-table.ts";
import { SegmentMerger } from "../segments/node-table.ts";
import { DamagedSegmentError } from "../segments/segment.ts";
import type { StoredSegment } from "../segments/sent-again.ts";
import type { SpanColumns, TraceDimensions } from "../summary/summary-columns.ts";
import {
  DIMENSION_COLUMNS,
  fillDimensions,
  NO_DIMENSIONS,
  TOTAL_COLUMNS,
  totalColumns,
} from "../summary/summary-columns.ts";
import { SEGMENTS_PER_TRACE, segmentRange } from "./span-schema.ts";
import { ZoneMap } from "./zone-map.ts";

/** A summary that was made over a snapshot. */
export interface TraceSummary {
  readonly traceNo: number;
  /** Of {@link TRACE_SUMMARY}. */
  readonly values: readonly SQLInputValue[];
  /** Of the top's segment: where it is another by now, the place of the top is wrong. */
  readonly topHeader: string;
}

const TOP_FIGURES = "start, start_nanos, latency, name, spankind, status";
/** The columns of spans that traces have as well. */
export const SUMMARY_COLUMNS = `${TOP_FIGURES}, ${DIMENSION_COLUMNS}`;
/** What {@link TraceSummaries.summaryOf} gives a value for, in its order. */
export const TRACE_SUMMARY = `${SUMMARY_COLUMNS}, top_segment, top_offset, top_length, spans,
  summarised, ${TOTAL_COLUMNS}`;
const SUMMARY_NAMES = TRACE_SUMMARY.split(/,\s*/);
const [TOP_SEGMENT, SPANS, SUMMARISED, COST] = ["top_segment", "spans", "summarised", "cost"].map(
  (name) => SUMMARY_NAMES.indexOf(name),
) as [number, number, number, number];

/** A question mark for each of these columns. */
export function placeholders(columns: string): string {
  return columns.replaceAll(/\w+/g, "?");
}

/**
 * The summaries of traces, made from their spans. Every method must run inside a transaction, which the
 * caller commits.
 */
export class TraceSummaries {
  readonly zones: ZoneMap;
  readonly #countOf: StatementSync;
  readonly #segment: StatementSync;
  readonly #headers: StatementSync;
  readonly #dimensions: StatementSync;
  readonly #topFigures: StatementSync;
  readonly #failed: StatementSync;
  readonly #summarise: StatementSync;
  readonly #behind: StatementSync;
  /** The trace whose summary is made elsewhere, and whether it was written to since that began. */
  #elsewhere: { readonly traceNo: number; isWritten: boolean } | undefined;

  constructor(db: DatabaseSync) {
    this.#countOf = db.prepare("SELECT spans FROM traces WHERE trace_no = ?");
    this.#segment = db.prepare("SELECT header FROM segments WHERE segment = ?");
    this.#headers = db.prepare(
      "SELECT segment, header FROM segments WHERE segment >= ? AND segment < ? ORDER BY segment",
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
    // By itself, SQLite could take the index of all spans of the trace, or of all failed ones.
    this.#failed = db.prepare(
      `SELECT count(*) AS n FROM spans INDEXED BY spans_failed_by_trace
       WHERE trace_no = ? AND status = 'ERROR'`,
    );
    this.#summarise = db.prepare(
      `UPDATE traces SET (${TRACE_SUMMARY}) = (${placeholders(TRACE_SUMMARY)}) WHERE trace_no = ?
       RETURNING project`,
    );
    this.zones = new ZoneMap(db);
    this.#behind = db.prepare("SELECT trace_no FROM traces WHERE summarised < spans");
  }

  /** To be called when spans of a trace are written: a summary that is being made elsewhere lacks them. */
  noteWrite(traceNo: number): void {
    if (this.#elsewhere?.traceNo === traceNo) this.#elsewhere.isWritten = true;
  }

  /** A large trace that has grown since its summary was made, if there is one besides `except`. */
  nextBehind(except: ReadonlySet<number>): number | undefined {
    for (const row of this.#behind.iterate()) {
      const { trace_no } = row as { trace_no: number };
      if (!except.has(trace_no)) return trace_no;
    }
    return undefined;
  }

  /** Makes the summary of a trace from its spans. */
  summarise(traceNo: number): void {
    this.#store(traceNo, this.summaryOf(traceNo));
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
    this.#store(traceNo, values);
  }

  #store(traceNo: number, values: readonly SQLInputValue[]): void {
    const { project } = this.#summarise.get(...values, traceNo) as { project: string };
    const figures = values.slice(0, TOP_SEGMENT);
    const row = [null, ...figures, values[COST]] as unknown as SpanColumns;
    this.zones.add("t", traceNo, project, row);
    this.zones.write();
  }

  /** The header of the segment that a summary has its top in. */
  #topHeader(traceNo: number, values: readonly SQLInputValue[]): string | undefined {
    const segment = traceNo * SEGMENTS_PER_TRACE + Number(values[TOP_SEGMENT]);
    return (this.#segment.get(segment) as Pick<StoredSegment, "header"> | undefined)?.header;
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
    const failed = this.#failed.get(traceNo) as { n: number };
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
      ...totalColumns(tree.total(tree.top), failed.n),
    ];
  }
}
