import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import type { ListedSpan } from "@agate/protocol";
import type { PlacedEntry } from "../segments/segment.ts";
import {
  DamagedSegmentError,
  decodeHeader,
  openRecordText,
  unpackBody,
} from "../segments/segment.ts";
import type { SpanColumns } from "../summary/summary-columns.ts";
import { ALWAYS_SUMMARISED } from "../summary/summary-pacer.ts";
import { laterColumns, listedSpan } from "./older-spans.ts";
import { numberInTrace, SEGMENTS_PER_TRACE, segmentRange } from "./span-schema.ts";
import { placeholders, TRACE_SUMMARY, TraceSummaries } from "./trace-summaries.ts";
import { SPAN_COLUMNS } from "./trace-writer.ts";

export interface ListedTrace {
  readonly trace_no: number;
  readonly project: string;
}

export interface ReadSegment {
  readonly segment: number;
  readonly header: string;
  /** Unpacked where it is stored as a frame. */
  readonly body: Uint8Array<ArrayBuffer>;
}

const SUMMARY_NAMES = TRACE_SUMMARY.split(/,\s*/);
const SPAN_NAMES = SPAN_COLUMNS.split(/,\s*/);
/** Columns that older versions did not have: a migration or a maintenance task fills them. */
const FILLED_IN_LATER = ["route", "revision", "start_nanos"].map((name) =>
  SPAN_NAMES.indexOf(name),
);

/**
 * Compares the columns by which lists, filters and analytics know traces and spans with the recorded
 * spans. The columns have no checksum of their own; the records have, and hold the same values.
 */
export class ListedColumns {
  readonly #summaries: TraceSummaries;
  readonly #span: StatementSync;
  readonly #countSpans: StatementSync;
  readonly #summary: StatementSync;
  /** Segments whose spans still lack the columns that came later. */
  readonly #older: { readonly next: number; readonly end: number };

  constructor(db: DatabaseSync) {
    this.#summaries = new TraceSummaries(db);
    // Earlier versions wrote the number of the segment in the whole table.
    const comparable = SPAN_NAMES.map((name) =>
      name === "segment" ? `segment % ${SEGMENTS_PER_TRACE}` : name,
    );
    this.#span = readExactly(
      db.prepare(`SELECT ${comparable} FROM spans WHERE trace_no = ? AND span_id = ?`),
    );
    this.#countSpans = db.prepare("SELECT count(*) AS n FROM spans WHERE trace_no = ?");
    this.#summary = readExactly(
      db.prepare(`SELECT ${TRACE_SUMMARY} FROM traces WHERE trace_no = ?`),
    );
    const older = db.prepare("SELECT next, end FROM older_segments").get();
    this.#older = (older as { next: number; end: number } | undefined) ?? { next: 0, end: 0 };
  }

  /**
   * @returns The ids of spans whose rows match this segment. A span that was sent again is listed as its
   * last segment has it.
   */
  listedIn(trace: ListedTrace, row: ReadSegment, entries: readonly PlacedEntry[]): string[] {
    const isOlder = !row.header.startsWith("c") || this.#isWaiting(row.segment);
    return entries
      .filter((entry) => {
        const stored = this.#span.get(trace.trace_no, entry.id);
        if (stored === undefined) return false;
        const values = stored as unknown as SQLOutputValue[];
        return columnsIn(trace, row, entry).every(
          (value, n) =>
            isSame(value, values[n]) ||
            (isOlder &&
              FILLED_IN_LATER.includes(n) &&
              (values[n] === null || isSame(0, values[n]))),
        );
      })
      .map(({ id }) => id);
  }

  /** @param spans How many different spans the trace has. */
  hasOtherSpans(traceNo: number, spans: number): boolean {
    return (this.#countSpans.get(traceNo) as { n: number }).n !== spans;
  }

  /** The columns of a trace's summary that differ from its spans. */
  wrongSummary(traceNo: number, spans: number): string[] {
    const stored = this.#summary.get(traceNo) as unknown as SQLOutputValue[];
    const [first, end] = segmentRange(traceNo);
    if (first < this.#older.end && this.#older.next < end) return [];
    const storedAs = (name: string) => Number(stored[SUMMARY_NAMES.indexOf(name)]);
    const summarised = storedAs("summarised");
    // The server summarises it when it is idle: one that is large, or that an upgrade has left for this.
    if (summarised === 0 || (spans > ALWAYS_SUMMARISED && summarised < spans)) {
      return storedAs("spans") === spans ? [] : ["spans"];
    }
    const expected = this.#summaries.summaryOf(traceNo);
    return SUMMARY_NAMES.filter((_, n) => !isSame(expected[n] ?? null, stored[n]));
  }

  #isWaiting(segment: number): boolean {
    return segment >= this.#older.next && segment < this.#older.end;
  }
}

/** Makes the rows of a trace's spans, and its summary, from its segments. They must be sound. */
export class ListedColumnsRepair {
  readonly #summaries: TraceSummaries;
  readonly #segments: StatementSync;
  readonly #update: StatementSync;
  readonly #insert: StatementSync;
  readonly #rows: StatementSync;
  readonly #delete: StatementSync;

  constructor(db: DatabaseSync) {
    this.#summaries = new TraceSummaries(db);
    this.#segments = db.prepare(
      "SELECT segment, header, body FROM segments WHERE segment >= ? AND segment < ? ORDER BY segment",
    );
    this.#update = db.prepare(
      `UPDATE spans SET (${SPAN_COLUMNS}) = (${placeholders(SPAN_COLUMNS)})
       WHERE trace_no = ? AND span_id = ?`,
    );
    this.#insert = db.prepare(
      `INSERT INTO spans (${SPAN_COLUMNS}) VALUES (${placeholders(SPAN_COLUMNS)})`,
    );
    this.#rows = db.prepare("SELECT span_no, span_id FROM spans WHERE trace_no = ?");
    this.#delete = db.prepare("DELETE FROM spans WHERE span_no = ?");
  }

  repair(trace: ListedTrace): void {
    const ids = new Set<string>();
    // In the order of their commits: what was sent again wins.
    for (const found of this.#segments.iterate(...segmentRange(trace.trace_no))) {
      const stored = found as unknown as ReadSegment;
      const row = { ...stored, body: unpackBody(stored.body) };
      for (const entry of decodeHeader(row.header, row.segment)) {
        ids.add(entry.id);
        const columns = columnsIn(trace, row, entry);
        const { changes } = this.#update.run(...columns, trace.trace_no, entry.id);
        if (changes === 0) this.#insert.run(...columns);
      }
    }
    for (const found of this.#rows.all(trace.trace_no)) {
      const row = found as { span_no: number; span_id: string };
      if (!ids.has(row.span_id)) this.#delete.run(row.span_no);
    }
    this.#summaries.summarise(trace.trace_no);
  }
}

/** The row of a span, from its record: a value for each of {@link SPAN_COLUMNS}. */
function columnsIn(
  { trace_no, project }: ListedTrace,
  { segment, body }: ReadSegment,
  entry: PlacedEntry,
): SQLInputValue[] {
  const open = openRecordText(body, entry.offset, entry.openLength);
  return [trace_no, numberInTrace(segment), project, ...spanColumns(entry, open)];
}

function spanColumns(entry: PlacedEntry, openRecord: string): SpanColumns {
  let record: ListedSpan;
  try {
    record = listedSpan(openRecord);
  } catch (error) {
    throw new DamagedSegmentError(null, error);
  }
  const { metadata, variant } = record;
  const { route, revision, run } = laterColumns(record);
  return [
    entry.id,
    entry.start,
    entry.startNanos,
    metadata.latency,
    record.name,
    record.spankind,
    record.status,
    metadata.application,
    route,
    variant.variant_name ?? variant.variant_id,
    revision,
    record.environment,
    record.user_id,
    metadata.session_id,
    run,
    entry.figures?.cost ?? null,
  ];
}

/** A damaged number may be larger than JavaScript's can be, which would be an error. */
function readExactly(statement: StatementSync): StatementSync {
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  return statement;
}

function isSame(expected: SQLInputValue, stored: SQLOutputValue | undefined): boolean {
  if (typeof stored === "bigint") return expected === Number(stored);
  // SQLite keeps no half of a surrogate pair.
  return (typeof expected === "string" ? expected.toWellFormed() : expected) === stored;
}
