import type { DatabaseSync, StatementSync } from "node:sqlite";
import { compactSegment, entriesToKeep } from "../segments/compact-segment.ts";
import { DamagedSegmentError, decodeHeader } from "../segments/segment.ts";
import { TracesOnDamagedPages } from "./damaged-pages.ts";
import { SEGMENTS_PER_TRACE, segmentOf } from "./span-schema.ts";

/** How many segments one step rewrites: at most about 1 MiB, so that no batch waits long behind it. */
const SEGMENTS_PER_STEP = 8;

/** A segment with superseded records, and the trace that it is of. */
interface Candidate {
  readonly segment: number;
  /** Null, like the rest, when the trace was deleted. */
  readonly trace_no: number | null;
  readonly trace_id: string;
  readonly top_segment: number;
  readonly top_offset: number;
}

const NO_IDS = { header: "", ids: new Set<string>() };

/**
 * Rewrites segments without the records that later ones have superseded, where that saves space. The writer
 * notes which segments have such records; each is looked at once, and again when more of it is superseded.
 */
export class SegmentCompactor {
  readonly #fromBytes: number | undefined;
  readonly #next: StatementSync;
  readonly #header: StatementSync;
  readonly #body: StatementSync;
  readonly #placeOfSpan: StatementSync;
  readonly #rewrite: StatementSync;
  readonly #moveTop: StatementSync;
  readonly #done: StatementSync;
  readonly #unreadable = new TracesOnDamagedPages();
  #lastIds: { readonly header: string; readonly ids: ReadonlySet<string> } = NO_IDS;

  /** @param fromBytes How much of a segment must be superseded; tests use a small value. */
  constructor(db: DatabaseSync, fromBytes?: number) {
    this.#fromBytes = fromBytes;
    // Until the summary of a large trace is made again, it names a top that may be superseded.
    this.#next = db.prepare(
      `SELECT c.segment, t.trace_no, t.trace_id, t.top_segment, t.top_offset
       FROM superseded_segments c LEFT JOIN traces t ON t.trace_no = c.segment / ${SEGMENTS_PER_TRACE}
       WHERE t.trace_no IS NULL OR t.summarised >= t.spans
       ORDER BY c.segment LIMIT ${SEGMENTS_PER_STEP}`,
    );
    this.#header = db.prepare("SELECT header FROM segments WHERE segment = ?");
    this.#body = db.prepare("SELECT body FROM segments WHERE segment = ?");
    this.#placeOfSpan = db.prepare(
      `SELECT ${segmentOf("spans")} AS segment FROM spans WHERE trace_no = ? AND span_id = ?`,
    );
    this.#rewrite = db.prepare("UPDATE segments SET header = ?, body = ? WHERE segment = ?");
    this.#moveTop = db.prepare("UPDATE traces SET top_offset = ? WHERE trace_no = ?");
    this.#done = db.prepare("DELETE FROM superseded_segments WHERE segment = ?");
  }

  /**
   * Must run inside a transaction.
   *
   * @returns False when there was nothing to look at.
   * @throws DamagedPageError The transaction must be rolled back; the next step passes over the trace.
   */
  compactSome(): boolean {
    const candidates = this.#next.all() as unknown as Candidate[];
    for (const candidate of candidates) {
      const { segment, trace_no } = candidate;
      this.#done.run(segment);
      if (trace_no === null || this.#unreadable.has(trace_no)) continue;
      try {
        this.#unreadable.workOn(trace_no, () => this.#compact(candidate, trace_no));
      } catch (error) {
        // It stays as it is: reads of the trace and `agate check` report it.
        if (!(error instanceof DamagedSegmentError)) throw error;
      }
    }
    return candidates.length > 0;
  }

  #compact(candidate: Candidate, traceNo: number): void {
    const { segment, trace_id, top_segment, top_offset } = candidate;
    const row = this.#header.get(segment) as { header: string } | undefined;
    if (row === undefined) return;
    const { header } = row;
    const kept = entriesToKeep(
      header,
      segment,
      ({ id }) => !this.#isSuperseded(segment, traceNo, id),
      this.#fromBytes,
    );
    if (kept === undefined) return;
    const body = kept.length === 0 ? new Uint8Array() : this.#bodyOf(segment);
    const compacted = compactSegment({ header, body }, kept, trace_id);
    if (segment === traceNo * SEGMENTS_PER_TRACE + top_segment) {
      const top = kept.findIndex(({ offset }) => offset === top_offset);
      const moved = compacted.entries[top];
      // The summary would name a place without a record.
      if (moved === undefined) return;
      this.#moveTop.run(moved.offset, traceNo);
    }
    this.#rewrite.run(compacted.header, compacted.body, segment);
  }

  /** A span without a row keeps its record, from which `agate check --repair-index` rebuilds the row. */
  #isSuperseded(segment: number, traceNo: number, spanId: string): boolean {
    const span = this.#placeOfSpan.get(traceNo, spanId) as { segment: number } | undefined;
    if (span === undefined || span.segment <= segment) return false;
    const row = this.#header.get(span.segment) as { header: string } | undefined;
    // A damaged row may name a segment that holds no later record.
    return row !== undefined && this.#idsIn(span.segment, row.header).has(spanId);
  }

  /** The ids in a segment; the last one is kept, as spans are mostly superseded together. */
  #idsIn(segment: number, header: string): ReadonlySet<string> {
    if (this.#lastIds.header !== header) {
      const ids = new Set(decodeHeader(header, segment).map(({ id }) => id));
      this.#lastIds = { header, ids };
    }
    return this.#lastIds.ids;
  }

  #bodyOf(segment: number): Uint8Array<ArrayBuffer> {
    return (this.#body.get(segment) as { body: Uint8Array<ArrayBuffer> }).body;
  }
}
