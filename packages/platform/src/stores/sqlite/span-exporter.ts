import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoredSpan } from "@agate/spans";
import type { ExportPosition, OtherColumns } from "../segments/export-parts.ts";
import {
  EXPORT_BEGINNING,
  exportedSpan,
  PartBuilder,
  parseExportPosition,
} from "../segments/export-parts.ts";
import { DamagedSegmentError, decodeHeader, plainBody } from "../segments/segment.ts";
import type { SpanPart } from "../span-store.ts";
import { PART_LIMITS } from "../span-store.ts";
import { laterColumns, listedSpan } from "./older-spans.ts";
import { segmentOf, segmentRange } from "./span-schema.ts";
import { isNeverMerged } from "./trace-merger.ts";

interface TraceRow {
  readonly trace_no: number;
  readonly project: string;
  readonly trace_id: string;
  readonly received: number;
}

interface SegmentRow {
  readonly segment: number;
  readonly header: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

interface SegmentToExport {
  readonly trace: TraceRow;
  readonly row: SegmentRow;
  /** The segment behind which an export goes on after this one. */
  readonly position: number;
}

/** Segments that are older than the columns for route and revision, and not filled in yet. */
interface OlderSegments {
  readonly next: number;
  readonly end: number;
}

export interface ExportedParts {
  readonly parts: readonly SpanPart[];
  /** The trace that comes next and cannot be read; null where none is in the way. */
  readonly damaged: string | null;
}

/** Reads everything back as it was appended, in the order of arrival, a few parts at a time. */
export class SpanExporter {
  readonly #db: DatabaseSync;
  readonly #arrivedWith: StatementSync;
  readonly #arrivedAfter: StatementSync;
  readonly #segments: StatementSync;
  readonly #columns: StatementSync;
  readonly #older: StatementSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    const columns = "trace_no, project, trace_id, received";
    // Two statements, since SQLite finds no place in an index by a pair that ends in the row id.
    this.#arrivedWith = db.prepare(
      `SELECT ${columns} FROM traces WHERE received = ? AND trace_no >= ? ORDER BY trace_no`,
    );
    this.#arrivedAfter = db.prepare(
      `SELECT ${columns} FROM traces WHERE received > ? ORDER BY received, trace_no`,
    );
    this.#segments = db.prepare(
      "SELECT segment, header, body FROM segments WHERE segment >= ? AND segment < ? ORDER BY segment",
    );
    // None where the span was sent again since: that is in a later segment.
    this.#columns = db.prepare(
      `SELECT name, spankind AS kind, status, latency, application, route, variant, revision,
         environment, user_id AS userId, session_id AS sessionId, run
       FROM spans WHERE trace_no = ? AND span_id = ? AND ${segmentOf("spans")} = ?`,
    );
    this.#older = db.prepare("SELECT next, end FROM older_segments");
  }

  /** Some of the parts after a position; none at the end. */
  partsAfter(after: string | null): ExportedParts {
    const from = after === null ? EXPORT_BEGINNING : parseExportPosition(after);
    // One snapshot for all statements.
    this.#db.exec("BEGIN");
    try {
      return { parts: this.#collect(from), damaged: null };
    } catch (error) {
      if (!(error instanceof DamagedSegmentError)) throw error;
      // An error would lose its class between threads.
      return { parts: [], damaged: error.traceId };
    } finally {
      this.#db.exec("COMMIT");
    }
  }

  #collect(from: ExportPosition): SpanPart[] {
    const parts: SpanPart[] = [];
    const older = this.#older.get() as OlderSegments | undefined;
    const builder = new PartBuilder();
    const keep = (part: SpanPart | undefined) => part !== undefined && parts.push(part);
    let spans = 0;
    let bytes = 0;
    /** What was read of the trace so far. */
    let current = { trace_no: -1, spans: 0, bytes: 0 };
    for (const { trace, row, position } of this.#segmentsAfter(from)) {
      const { trace_no } = trace;
      if (trace_no !== current.trace_no) current = { trace_no, spans: 0, bytes: 0 };
      const isFull = spans >= PART_LIMITS.spans || bytes >= PART_LIMITS.bytes;
      // The next call must not begin inside a trace that may be merged until then: it would give its spans again.
      if (isFull && (current.spans === 0 || isNeverMerged(current))) break;
      const found = this.#soundSpansIn(trace, row, older);
      // Returns what was read so far; the next call begins with this trace.
      if (found === undefined && spans > 0) break;
      if (found === undefined) throw new DamagedSegmentError(trace.trace_id);
      if (found.length === 0) continue;
      const length = found.reduce((sum, { openRecord }) => sum + openRecord.length, 0);
      spans += found.length;
      bytes += length;
      current.spans += found.length;
      current.bytes += length;
      keep(builder.add({ trace, segment: position, spans: found }));
    }
    keep(builder.finish());
    return parts;
  }

  *#segmentsAfter(from: ExportPosition): Generator<SegmentToExport, void, void> {
    for (const trace of this.#tracesFrom(from)) {
      const [first, end] = segmentRange(trace.trace_no);
      const begun = trace.received === from.received && trace.trace_no === from.traceNo;
      const rows = this.#segments.iterate(begun ? from.segment + 1 : first, end);
      let last: SegmentRow | undefined;
      for (const found of rows) {
        if (last !== undefined) yield { trace, row: last, position: last.segment };
        last = found as unknown as SegmentRow;
      }
      // Behind all numbers of the trace: those of segments that it is merged into follow the last one.
      if (last !== undefined) yield { trace, row: last, position: end - 1 };
    }
  }

  *#tracesFrom({ received, traceNo }: ExportPosition): Generator<TraceRow, void, void> {
    yield* this.#arrivedWith.iterate(received, traceNo) as Iterable<unknown> as Iterable<TraceRow>;
    yield* this.#arrivedAfter.iterate(received) as Iterable<unknown> as Iterable<TraceRow>;
  }

  /** Undefined where the segment is damaged. */
  #soundSpansIn(
    trace: TraceRow,
    row: SegmentRow,
    older: OlderSegments | undefined,
  ): StoredSpan[] | undefined {
    try {
      const body = plainBody(row.header, row.body, trace.trace_id);
      return this.#spansIn(trace, { ...row, body }, older);
    } catch (error) {
      if (error instanceof DamagedSegmentError) return undefined;
      throw error;
    }
  }

  #spansIn(
    { trace_no, trace_id }: TraceRow,
    { segment, header, body }: SegmentRow,
    older: OlderSegments | undefined,
  ): StoredSpan[] {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const isOlder = older !== undefined && segment >= older.next && segment < older.end;
    const spans: StoredSpan[] = [];
    for (const entry of decodeHeader(header, segment)) {
      const columns = this.#columns.get(trace_no, entry.id, segment) as OtherColumns | undefined;
      if (columns === undefined) continue;
      const openRecord = bytes.toString("utf8", entry.offset, entry.offset + entry.openLength);
      const filled = isOlder ? { ...columns, ...laterColumns(listedSpan(openRecord)) } : columns;
      spans.push(exportedSpan(trace_id, entry, filled, openRecord));
    }
    return spans;
  }
}
