import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { SpanAdditions } from "../span-additions.ts";
import { NO_ADDITIONS } from "../span-additions.ts";
import type { ScoreReader } from "./score-table.ts";
import { segmentOf, segmentRange } from "./span-schema.ts";
import type { SpanTexts } from "./span-texts.ts";
import { textsAt } from "./span-texts.ts";
import { sqliteCode } from "./sqlite-errors.ts";
import type { TextDocuments } from "./text-documents.ts";

/** Spans that one step indexes again, and those of the segment that it ends in. */
const SPANS_PER_STEP = 1_000;
/** A trace is left alone for so many times as long as indexing it again took. */
const REST = 10;
/** A trace that takes no longer is indexed again whenever a caller waits for it. */
const SHORT_MS = 200;

interface TraceName {
  readonly project: string;
  readonly trace_id: string;
}

/** A trace that is being indexed again. */
interface Work {
  readonly traceNo: number;
  /** As {@link StaleRow} when it was begun. */
  readonly changes: number;
  /** The last document that was there before. */
  readonly upTo: number;
  /** The last segment that is done. */
  segment: number;
  ms: number;
  /** Whether a part of the trace could not be read. */
  isDamaged: boolean;
}

interface StaleRow {
  readonly trace_no: number;
  readonly changes: number;
}

/**
 * Indexes the words of traces again of which a span was replaced: its documents still have the words of the span as
 * it was before, and other spans may have some of these words only there. Documents are written anew, and the earlier
 * ones removed when all spans are in new ones, so that no word is lost meanwhile. A crash leaves both, and the trace
 * is begun again.
 *
 * A large trace that is changed all the time rests in between: until then it is also found by what was replaced.
 */
export class TraceReindexer {
  readonly #spans: DatabaseSync;
  readonly #texts: SpanTexts;
  readonly #documents: TextDocuments;
  readonly #scores: ScoreReader;
  readonly #mark: StatementSync;
  readonly #unmark: StatementSync;
  readonly #forget: StatementSync;
  readonly #anyStale: StatementSync;
  readonly #stale: StatementSync;
  readonly #name: StatementSync;
  readonly #nextSegment: StatementSync;
  readonly #place: StatementSync;
  readonly #loggedOf: StatementSync;
  readonly #removeOlder: StatementSync;
  /** When traces may be indexed again, by the clock of `performance`, and how long it took. */
  readonly #rests = new Map<number, { readonly until: number; readonly ms: number }>();
  #work: Work | undefined;

  constructor(
    spans: DatabaseSync,
    index: DatabaseSync,
    parts: { texts: SpanTexts; documents: TextDocuments; scores: ScoreReader },
  ) {
    this.#spans = spans;
    this.#texts = parts.texts;
    this.#documents = parts.documents;
    this.#scores = parts.scores;
    this.#mark = index.prepare(
      `INSERT INTO stale_traces (trace_no, changes) VALUES (?, 1)
       ON CONFLICT (trace_no) DO UPDATE SET changes = changes + 1`,
    );
    this.#unmark = index.prepare("DELETE FROM stale_traces WHERE trace_no = ? AND changes = ?");
    this.#forget = index.prepare("DELETE FROM stale_traces WHERE trace_no = ?");
    this.#anyStale = index.prepare("SELECT 1 FROM stale_traces LIMIT 1");
    this.#stale = index.prepare("SELECT trace_no, changes FROM stale_traces ORDER BY trace_no");
    this.#removeOlder = index.prepare("DELETE FROM spans_text WHERE rowid = ?");
    this.#name = spans.prepare("SELECT project, trace_id FROM traces WHERE trace_no = ?");
    this.#nextSegment = spans.prepare(
      "SELECT segment FROM segments WHERE segment > ? AND segment < ? ORDER BY segment LIMIT 1",
    );
    this.#place = spans.prepare(
      `SELECT span_no, ${segmentOf("spans")} AS segment FROM spans WHERE trace_no = ? AND span_id = ?`,
    );
    this.#loggedOf = spans.prepare(
      "SELECT span_id FROM logged_spans WHERE project = ? AND trace_id = ?",
    );
  }

  /** Whether a trace is left to be indexed again; it may rest. */
  get hasStale(): boolean {
    return this.#anyStale.get() !== undefined;
  }

  /** Notes, inside a transaction, that spans of these traces were replaced, or that the trace is deleted. */
  noteChanged(traceNos: Iterable<number>): void {
    for (const traceNo of traceNos) {
      if (this.#name.get(traceNo) !== undefined) this.#mark.run(traceNo);
      else this.#drop(traceNo);
    }
  }

  /**
   * Indexes some spans again, inside a transaction.
   *
   * @param isAwaited Whether a caller waits for it: small traces have no rest then.
   * @returns False when there is nothing to do now.
   */
  reindexSome(isAwaited: boolean): boolean {
    let count = 0;
    // One moment for the whole step: a trace may be merged, which moves its spans.
    this.#spans.exec("BEGIN");
    try {
      while (count < SPANS_PER_STEP) {
        const started = performance.now();
        this.#work ??= this.#next(started, isAwaited);
        const work = this.#work;
        if (work === undefined) break;
        const { spans, isDone } = this.#step(work, SPANS_PER_STEP - count);
        this.#documents.write();
        // A trace without spans is work, too.
        count += Math.max(spans, 1);
        work.ms += performance.now() - started;
        if (isDone) this.#finish(work);
      }
    } finally {
      if (this.#spans.isTransaction) this.#spans.exec("COMMIT");
    }
    return count > 0;
  }

  /** To be called when the transaction of a step has failed. */
  rolledBack(): void {
    this.#work = undefined;
  }

  /** Milliseconds until a trace that rests can be indexed again; undefined where none does. */
  nextTurn(): number | undefined {
    const rows = this.#stale.all() as unknown as StaleRow[];
    const now = performance.now();
    const times = rows.map(({ trace_no }) => (this.#rests.get(trace_no)?.until ?? now) - now);
    return times.length === 0 ? undefined : Math.max(0, Math.min(...times));
  }

  #next(now: number, isAwaited: boolean): Work | undefined {
    for (const [traceNo, { until }] of this.#rests) if (until <= now) this.#rests.delete(traceNo);
    for (const row of this.#stale.iterate()) {
      const { trace_no: traceNo, changes } = row as unknown as StaleRow;
      const rest = this.#rests.get(traceNo);
      if (rest !== undefined && !(isAwaited && rest.ms <= SHORT_MS)) continue;
      this.#documents.beginAgain(traceNo);
      const segment = segmentRange(traceNo)[0] - 1;
      return { traceNo, changes, upTo: this.#documents.last, segment, ms: 0, isDamaged: false };
    }
    return undefined;
  }

  /** Indexes at least so many spans, and the others of the last segment, if there are as many. */
  #step(work: Work, least: number): { readonly spans: number; readonly isDone: boolean } {
    const { traceNo } = work;
    const name = this.#name.get(traceNo) as TraceName | undefined;
    // It was deleted meanwhile.
    if (name === undefined) return { spans: 0, isDone: true };
    const [, end] = segmentRange(traceNo);
    const contentOf = this.#contents(name);
    let spans = 0;
    while (spans < least) {
      const next = this.#nextSegment.get(work.segment, end) as { segment: number } | undefined;
      if (next === undefined) return { spans, isDone: true };
      work.segment = next.segment;
      try {
        spans += this.#indexSegment(traceNo, next.segment, contentOf);
      } catch (error) {
        if (sqliteCode(error) !== undefined) throw error;
        work.isDamaged = true;
      }
    }
    return { spans, isDone: false };
  }

  /** @returns How many spans it has. */
  #indexSegment(
    traceNo: number,
    segment: number,
    contentOf: (spanId: string) => SpanAdditions,
  ): number {
    const opened = this.#texts.open(segment);
    if (opened === undefined) return 0;
    for (const [spanId, entry] of opened.entries) {
      const place = this.#place.get(traceNo, spanId) as
        | { span_no: number; segment: number }
        | undefined;
      // Superseded by a later segment.
      if (place?.segment !== segment) continue;
      this.#removeOlder.run(place.span_no);
      passUnindexable(() =>
        this.#documents.add(traceNo, textsAt(opened, entry, contentOf(spanId))),
      );
    }
    return opened.entries.size;
  }

  #contents({ project, trace_id }: TraceName): (spanId: string) => SpanAdditions {
    const rows = this.#loggedOf.all(project, trace_id) as unknown as { span_id: string }[];
    const logged = new Set(rows.map(({ span_id }) => span_id));
    return (spanId) =>
      logged.has(spanId) ? this.#scores.ofListed(project, trace_id, spanId, false) : NO_ADDITIONS;
  }

  #finish({ traceNo, changes, upTo, ms, isDamaged }: Work): void {
    this.#work = undefined;
    this.#rests.set(traceNo, { until: performance.now() + ms * REST, ms });
    if (this.#name.get(traceNo) === undefined) {
      this.#drop(traceNo);
      return;
    }
    this.#unmark.run(traceNo, changes);
    // The words of what cannot be read are in the earlier documents alone.
    if (!isDamaged) this.#documents.removeUpTo(traceNo, upTo);
  }

  #drop(traceNo: number): void {
    this.#forget.run(traceNo);
    this.#documents.removeAll(traceNo);
  }
}

/** Passes a span whose text cannot be indexed; it was reported when it was indexed first. */
function passUnindexable(index: () => void): void {
  try {
    index();
  } catch (error) {
    if (sqliteCode(error) !== undefined) throw error;
  }
}
