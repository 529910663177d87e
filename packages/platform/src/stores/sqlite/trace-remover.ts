import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { HeaderRow } from "../segments/node-table.ts";
import { decodeHeader } from "../segments/segment.ts";
import { TracesOnDamagedPages } from "./damaged-pages.ts";
import { ScoreWriter } from "./score-table.ts";
import { segmentOf, segmentRange } from "./span-schema.ts";

/** How many rows one step frees: a few milliseconds, so that no batch waits long behind it. */
const SPANS_PER_STEP = 500;

interface OldTrace {
  readonly trace_no: number;
  readonly project: string;
  readonly trace_id: string;
}

/**
 * Deletes traces in two steps: hides them at once (every read starts at the row in `traces`, which is
 * deleted), and later frees their rows, a segment at a time. A restart resumes the second step.
 */
export class TraceRemover {
  readonly #scores: ScoreWriter;
  readonly #find: StatementSync;
  readonly #oldest: StatementSync;
  readonly #hide: StatementSync;
  readonly #enqueue: StatementSync;
  readonly #deleted: StatementSync;
  readonly #nextSegment: StatementSync;
  readonly #spansOfSegment: StatementSync;
  readonly #findSpan: StatementSync;
  readonly #forgetSpan: StatementSync;
  readonly #deleteSpan: StatementSync;
  readonly #deleteSegment: StatementSync;
  readonly #done: StatementSync;
  readonly #forgotten: StatementSync;
  readonly #unreadable = new TracesOnDamagedPages();

  constructor(db: DatabaseSync) {
    this.#scores = new ScoreWriter(db);
    this.#find = db.prepare("SELECT trace_no FROM traces WHERE project = ? AND trace_id = ?");
    this.#oldest = db.prepare(
      "SELECT trace_no, project, trace_id FROM traces WHERE received < ? ORDER BY received LIMIT ?",
    );
    this.#hide = db.prepare("DELETE FROM traces WHERE trace_no = ?");
    this.#enqueue = db.prepare("INSERT INTO deleted_traces (trace_no) VALUES (?)");
    this.#deleted = db.prepare("SELECT trace_no FROM deleted_traces ORDER BY trace_no");
    this.#nextSegment = db.prepare(
      "SELECT segment, header FROM segments WHERE segment >= ? AND segment < ? LIMIT 1",
    );
    this.#spansOfSegment = db.prepare(
      `SELECT span_id FROM spans WHERE trace_no = ? AND ${segmentOf("spans")} = ?`,
    );
    this.#findSpan = db.prepare("SELECT span_no FROM spans WHERE trace_no = ? AND span_id = ?");
    this.#forgetSpan = db.prepare(
      "INSERT INTO deleted_spans (span_no, span_id, trace_no) VALUES (?, ?, ?)",
    );
    this.#deleteSpan = db.prepare("DELETE FROM spans WHERE span_no = ?");
    this.#deleteSegment = db.prepare("DELETE FROM segments WHERE segment = ?");
    this.#forgotten = db.prepare("DELETE FROM deleted_spans WHERE span_no = ?");
    this.#done = db.prepare("DELETE FROM deleted_traces WHERE trace_no = ?");
  }

  deleteTrace(project: string, traceId: string): boolean {
    const row = this.#find.get(project, traceId) as { trace_no: number } | undefined;
    const hadScores = this.#scores.deleteOfTrace(project, traceId);
    if (row === undefined) return hadScores;
    this.#remove(row.trace_no);
    return true;
  }

  expire(receivedBefore: number, limit: number): number {
    const rows = this.#oldest.all(receivedBefore, limit) as unknown as OldTrace[];
    for (const { trace_no, project, trace_id } of rows) {
      this.#scores.deleteOfTrace(project, trace_id);
      this.#remove(trace_no);
    }
    return rows.length + this.#scores.deleteOrphans(receivedBefore, limit);
  }

  /** Ends the bookkeeping of deleted spans that the index has dropped. */
  forget(spanNos: readonly number[]): void {
    for (const spanNo of spanNos) this.#forgotten.run(spanNo);
  }

  /**
   * Frees the rows of some segments; must run inside a transaction.
   *
   * @returns False when nothing was left to free.
   * @throws DamagedPageError The transaction must be rolled back; the next step passes over the trace.
   */
  freeSome(): boolean {
    let freed = 0;
    while (freed < SPANS_PER_STEP) {
      const traceNo = this.#nextDeleted();
      if (traceNo === undefined) return freed > 0;
      freed += this.#unreadable.workOn(traceNo, () => this.#freeSegment(traceNo));
    }
    return true;
  }

  #nextDeleted(): number | undefined {
    for (const row of this.#deleted.iterate()) {
      const { trace_no } = row as unknown as { trace_no: number };
      if (!this.#unreadable.has(trace_no)) return trace_no;
    }
    return undefined;
  }

  #freeSegment(traceNo: number): number {
    const row = this.#nextSegment.get(...segmentRange(traceNo)) as unknown as HeaderRow | undefined;
    if (row === undefined) {
      this.#done.run(traceNo);
      return 1;
    }
    const ids = this.#spanIdsOf(traceNo, row);
    for (const id of ids) {
      const span = this.#findSpan.get(traceNo, id) as { span_no: number } | undefined;
      // A span that was sent twice is listed in two segments and gone after the first.
      if (span === undefined) continue;
      this.#deleteSpan.run(span.span_no);
      this.#forgetSpan.run(span.span_no, id, traceNo);
    }
    this.#deleteSegment.run(row.segment);
    return Math.max(1, ids.length);
  }

  #spanIdsOf(traceNo: number, { segment, header }: HeaderRow): string[] {
    try {
      return decodeHeader(header, segment).map(({ id }) => id);
    } catch {
      // A damaged header must not keep the rows: the spans that point to the segment are its own.
      const rows = this.#spansOfSegment.all(traceNo, segment) as { span_id: string }[];
      return rows.map(({ span_id }) => span_id);
    }
  }

  #remove(traceNo: number): void {
    this.#hide.run(traceNo);
    this.#enqueue.run(traceNo);
  }
}
