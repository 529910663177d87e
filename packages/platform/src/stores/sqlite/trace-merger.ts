import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { HeaderRow, PlacedNode } from "../segments/node-table.ts";
import { SegmentMerger } from "../segments/node-table.ts";
import {
  bodySum,
  checkBody,
  DamagedSegmentError,
  isAssembledBody,
  openRecordText,
  packSegment,
  plainBody,
  UNSEALED_BODY,
} from "../segments/segment.ts";
import type { EncodableSpan, EncodedSegment } from "../segments/segment-encoder.ts";
import { createSegmentEncoder } from "../segments/segment-encoder.ts";
import { isFrame } from "../segments/segment-frame.ts";
import type { StoredSegment } from "../segments/sent-again.ts";
import { TracesOnDamagedPages } from "./damaged-pages.ts";
import { numberInTrace, segmentRange } from "./span-schema.ts";

/** A trace is quiet when it has received nothing for this long. */
export const QUIET_MS = 60_000;
/** Traces of more spans, or of more bytes, are packed segment by segment and not merged. */
export const MOST_MERGED_SPANS = 2_000;
export const MOST_MERGED_BYTES = 1024 * 1024;

/** Whether a trace, or what is known of it, is too large to be merged. Its segments keep their numbers. */
export function isNeverMerged({ spans, bytes }: { spans: number; bytes: number }): boolean {
  return spans > MOST_MERGED_SPANS || bytes > MOST_MERGED_BYTES;
}

/** How much one step rewrites: some milliseconds, so that no batch waits long behind it. */
const BYTES_PER_STEP = 512 * 1024;
/** Traces, or segments of a large one, that a step looks at: most of them may be packed already. */
const ROWS_PER_STEP = 64;
/** Timers take no longer waits than some weeks. */
const LONGEST_WAIT_MS = 3_600_000;

/** A trace in the order in which they last received spans. */
interface Arrival {
  readonly received: number;
  readonly trace_no: number;
}

interface TraceRow {
  readonly trace_no: number;
  readonly trace_id: string;
  readonly segments: number;
  readonly spans: number;
}

interface SegmentRow extends StoredSegment {
  readonly segment: number;
}

/** The trace that comes next, and the segment of it that was the last. */
interface Progress extends Arrival {
  readonly segment: number;
}

interface Step {
  /** How many were rewritten, unpacked. */
  readonly bytes: number;
  /** The last segment, where the trace has more of them. */
  readonly resumeAfter?: number;
}

const NOTHING_DONE: Step = { bytes: 0 };
/** Before the first segment. */
const NONE = -1;

/**
 * Packs traces that are quiet: their segments become one zstd frame, whose content is the answer that the
 * trace is read as, or several of them where the trace is large. It walks through the traces in the order in
 * which they last received spans. One that receives more comes again later in that order, so that nothing
 * has to be noted of it when it is written.
 */
export class TraceMerger {
  readonly #quietMs: number;
  readonly #progress: StatementSync;
  readonly #advance: StatementSync;
  readonly #goBack: StatementSync;
  readonly #isOlderLeft: StatementSync;
  readonly #sameArrival: StatementSync;
  readonly #laterArrivals: StatementSync;
  readonly #trace: StatementSync;
  readonly #segments: StatementSync;
  readonly #nextSegment: StatementSync;
  readonly #headers: StatementSync;
  readonly #deleteSegments: StatementSync;
  readonly #insertSegment: StatementSync;
  readonly #moveSpans: StatementSync;
  readonly #moveSpan: StatementSync;
  readonly #moveTrace: StatementSync;
  readonly #forgetSuperseded: StatementSync;
  readonly #encode = createSegmentEncoder();
  readonly #unreadable = new TracesOnDamagedPages();
  /** A start, and a store that is being copied, have other work to do first. */
  #restUntil: number;

  /** @param quietMs How long a trace must have received nothing; tests use a short time. */
  constructor(db: DatabaseSync, quietMs = QUIET_MS) {
    this.#quietMs = quietMs;
    this.#restUntil = Date.now() + quietMs;
    this.#progress = db.prepare("SELECT received, trace_no, segment FROM merge_progress");
    this.#advance = db.prepare("UPDATE merge_progress SET received = ?, trace_no = ?, segment = ?");
    this.#goBack = db.prepare(
      `UPDATE merge_progress SET received = :received, trace_no = ${NONE}, segment = ${NONE}
       WHERE received >= :received`,
    );
    this.#isOlderLeft = db.prepare("SELECT 1 FROM older_segments");
    // Of the index alone, so that a damaged page of the table does not end the walk.
    const columns = "received, trace_no";
    // Two statements, since SQLite finds no place in an index by a pair that ends in the row id.
    this.#sameArrival = db.prepare(
      `SELECT ${columns} FROM traces WHERE received = ? AND trace_no >= ? ORDER BY trace_no LIMIT ?`,
    );
    this.#laterArrivals = db.prepare(
      `SELECT ${columns} FROM traces WHERE received > ? ORDER BY received, trace_no LIMIT ?`,
    );
    this.#trace = db.prepare(
      "SELECT trace_no, trace_id, segments, spans FROM traces WHERE trace_no = ?",
    );
    // Not iterated: an iteration that meets a damaged page makes the next one of its statement fail as well.
    const segments =
      "SELECT segment, header, body FROM segments WHERE segment > ? AND segment < ? ORDER BY segment";
    this.#segments = db.prepare(segments);
    this.#nextSegment = db.prepare(`${segments} LIMIT 1`);
    this.#headers = db.prepare(
      "SELECT segment, header FROM segments WHERE segment > ? AND segment < ? ORDER BY segment",
    );
    this.#deleteSegments = db.prepare("DELETE FROM segments WHERE segment >= ? AND segment < ?");
    this.#insertSegment = db.prepare(
      "INSERT INTO segments (segment, header, body) VALUES (?, ?, ?)",
    );
    this.#moveSpans = db.prepare("UPDATE spans SET segment = ? WHERE trace_no = ?");
    this.#moveSpan = db.prepare("UPDATE spans SET segment = ? WHERE trace_no = ? AND span_id = ?");
    this.#moveTrace = db.prepare(
      "UPDATE traces SET segments = ?, top_segment = ?, top_offset = 0, top_length = ? WHERE trace_no = ?",
    );
    this.#forgetSuperseded = db.prepare(
      "DELETE FROM superseded_segments WHERE segment >= ? AND segment < ?",
    );
  }

  /**
   * To be called for each batch, inside its transaction: one that arrived before the trace that comes next,
   * as the batches of a copied store do, takes the walk back to it.
   */
  noteWrite(receivedAt: number): void {
    const { changes } = this.#goBack.run({ received: receivedAt });
    if (changes > 0) this.#restUntil = Date.now() + this.#quietMs;
  }

  /**
   * Packs some traces; must run inside a transaction.
   *
   * @returns False when no quiet one is left.
   * @throws DamagedPageError The transaction must be rolled back; the next step passes over the trace.
   */
  mergeSome(): boolean {
    const now = Date.now();
    // Spans of older versions are completed by the numbers of their segments, which merging changes.
    if (now < this.#restUntil || this.#isOlderLeft.get() !== undefined) return false;
    const from = this.#progress.get() as unknown as Progress;
    let bytes = 0;
    let hasLooked = false;
    for (const { received, trace_no } of this.#arrivalsFrom(from)) {
      if (bytes >= BYTES_PER_STEP || this.#quietFrom(received) > now) break;
      const isBegun = received === from.received && trace_no === from.trace_no;
      const step = this.#mergeTrace(trace_no, isBegun ? from.segment : NONE);
      bytes += step.bytes;
      hasLooked = true;
      if (step.resumeAfter !== undefined) {
        this.#advance.run(received, trace_no, step.resumeAfter);
        break;
      }
      this.#advance.run(received, trace_no + 1, NONE);
    }
    return hasLooked;
  }

  /** Milliseconds until the next trace can be quiet; undefined where none is left. */
  nextTurn(): number | undefined {
    const [next] = this.#arrivalsFrom(this.#progress.get() as unknown as Progress, 1);
    if (next === undefined) return undefined;
    const at = Math.max(this.#quietFrom(next.received), this.#restUntil);
    return Math.min(Math.max(at - Date.now(), 0), LONGEST_WAIT_MS);
  }

  /** In milliseconds, as the clock has it; `received` counts microseconds. */
  #quietFrom(received: number): number {
    return received / 1000 + this.#quietMs;
  }

  #arrivalsFrom({ received, trace_no }: Progress, limit = ROWS_PER_STEP): readonly Arrival[] {
    const same = this.#sameArrival.all(received, trace_no, limit);
    const later = this.#laterArrivals.all(received, limit - same.length);
    return [...same, ...later] as unknown as Arrival[];
  }

  #mergeTrace(traceNo: number, after: number): Step {
    if (this.#unreadable.has(traceNo)) return NOTHING_DONE;
    return this.#unreadable.workOn(traceNo, () => {
      const trace = this.#trace.get(traceNo) as unknown as TraceRow;
      return this.#orLeaveAlone(() => this.#merge(trace, after));
    });
  }

  /** A damaged trace stays as it is: reads of it and `agate check` report it. */
  #orLeaveAlone(merge: () => Step): Step {
    try {
      return merge();
    } catch (error) {
      if (error instanceof DamagedSegmentError) return NOTHING_DONE;
      throw error;
    }
  }

  #merge(trace: TraceRow, after: number): Step {
    const [first, end] = segmentRange(trace.trace_no);
    if (trace.segments > 1 && trace.spans > MOST_MERGED_SPANS) return this.#packEach(trace, after);
    if (trace.segments === 1) {
      const only = this.#segmentAfter(first - 1, end);
      if (only === undefined || isFrame(only.body)) return NOTHING_DONE;
      // A reader takes a frame that is all of a trace for its answer.
      if (isAssembledBody(only.body)) return this.#pack(only, trace.trace_id);
      if (trace.spans > MOST_MERGED_SPANS) return NOTHING_DONE;
    }
    const merger = new SegmentMerger();
    const headers = this.#headers.all(first - 1, end) as unknown as readonly HeaderRow[];
    if (headers.some(({ header }) => isUnsealed(header))) return NOTHING_DONE;
    for (const row of headers) merger.add(row);
    const nodes = Array.from(
      { length: merger.nodes.length },
      (_, n) => merger.nodes.at(n) as PlacedNode,
    );
    const bytes = nodes.reduce((sum, { openLength }) => sum + openLength, 0);
    if (bytes > MOST_MERGED_BYTES) {
      return trace.segments > 1 ? this.#packEach(trace, after) : NOTHING_DONE;
    }
    const stored = this.#segments.all(first - 1, end) as unknown as readonly SegmentRow[];
    if (stored.every(({ body }) => isFrame(body))) return NOTHING_DONE;
    this.#replace(trace, stored, nodes);
    return { bytes };
  }

  /** Writes all spans of a trace to new segments. */
  #replace(
    { trace_no, trace_id }: TraceRow,
    rows: readonly SegmentRow[],
    nodes: readonly PlacedNode[],
  ): void {
    const bodies = new Map(
      rows.map(({ segment, header, body }) => [segment, plainBody(header, body, trace_id)]),
    );
    const spans = nodes.map((node) => encodable(node, bodies, trace_id));
    const { segments, topOpenLength } = this.#encode(spans);
    const [first, end] = segmentRange(trace_no);
    // Numbers are never used twice: readers tell by them what was written since they began.
    const next = Math.max(...bodies.keys()) + 1;
    if (next + segments.length > end) return;
    this.#deleteSegments.run(first, end);
    this.#forgetSuperseded.run(first, end);
    for (const [n, segment] of segments.entries()) {
      const { header, body } = packSegment(segment.header, segment.body, trace_id);
      this.#insertSegment.run(next + n, header, body);
      if (segments.length === 1) this.#moveSpans.run(numberInTrace(next), trace_no);
      else this.#moveEach(trace_no, next + n, segment, spans);
    }
    this.#moveTrace.run(segments.length, numberInTrace(next), topOpenLength, trace_no);
  }

  #moveEach(
    traceNo: number,
    segment: number,
    encoded: EncodedSegment,
    spans: readonly EncodableSpan[],
  ): void {
    for (const index of encoded.spans) {
      this.#moveSpan.run(numberInTrace(segment), traceNo, (spans[index] as EncodableSpan).id);
    }
  }

  /** Packs the segments of a large trace in their rows, some at a time. */
  #packEach({ trace_no, trace_id }: TraceRow, after: number): Step {
    const [first, end] = segmentRange(trace_no);
    let bytes = 0;
    let last = Math.max(after, first - 1);
    for (let looked = 0; bytes < BYTES_PER_STEP && looked < ROWS_PER_STEP; looked++) {
      const row = this.#segmentAfter(last, end);
      if (row === undefined) return { bytes };
      if (!isFrame(row.body)) bytes += this.#orLeaveAlone(() => this.#pack(row, trace_id)).bytes;
      last = row.segment;
    }
    return { bytes, resumeAfter: last };
  }

  #segmentAfter(segment: number, end: number): SegmentRow | undefined {
    return this.#nextSegment.get(segment, end) as unknown as SegmentRow | undefined;
  }

  #pack(row: SegmentRow, traceId: string): Step {
    if (isUnsealed(row.header)) return NOTHING_DONE;
    checkBody(row.header, row.body, traceId);
    const { header, body } = packSegment(row.header, row.body, traceId);
    // Not an UPDATE: a row that becomes smaller in its place leaves its page half empty.
    this.#deleteSegments.run(row.segment, row.segment + 1);
    this.#insertSegment.run(row.segment, header, body);
    return { bytes: row.body.length };
  }
}

/** Written before there were checksums: a new one would vouch for records that nothing has checked. */
function isUnsealed(header: string): boolean {
  return bodySum(header) === UNSEALED_BODY;
}

function encodable(
  { id, parentId, start, startNanos, figures, segment, offset, openLength }: PlacedNode,
  bodies: ReadonlyMap<number, Uint8Array<ArrayBuffer>>,
  traceId: string,
): EncodableSpan {
  const body = bodies.get(segment);
  if (body === undefined) throw new DamagedSegmentError(traceId);
  const openRecord = openRecordText(body, offset, openLength);
  return { traceId, id, parentId, start, startNanos, figures, openRecord };
}
