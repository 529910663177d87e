import { DatabaseSync } from "node:sqlite";
import { isDescriptorShortage } from "../../threads/spawn-thread.ts";
import type { ScoreBatch, ScoreOutcome } from "../score-store.ts";
import { committedScores } from "../score-store.ts";
import type { BatchToWrite } from "../segments/segment-encoder.ts";
import { committed } from "../span-limit.ts";
import type { AppendOutcome, DeleteOutcome, TraceChange } from "../span-store.ts";
import type { StoreTrouble } from "../store-errors.ts";
import { SummaryPacer } from "../summary/summary-pacer.ts";
import { DamagedPageError } from "./damaged-pages.ts";
import { filesIn } from "./data-directory.ts";
import { FreePages } from "./free-pages.ts";
import { LogCheckpoints } from "./log-checkpoints.ts";
import { OlderSpans } from "./older-spans.ts";
import { ScoreWriter } from "./score-table.ts";
import { SegmentCompactor } from "./segment-compactor.ts";
import { transientReason } from "./sqlite-errors.ts";
import { SummaryThread } from "./summary-thread.ts";
import { TraceMerger } from "./trace-merger.ts";
import { TraceRemover } from "./trace-remover.ts";
import type { TraceSummary } from "./trace-summaries.ts";
import type { WrittenBatch } from "./trace-writer.ts";
import { TraceWriter } from "./trace-writer.ts";
import { ZoneFiller } from "./zone-filler.ts";

/** At most this many batches share a commit, to bound the wait of the first. */
const BATCHES_PER_COMMIT = 64;
/** Pages of 4 KiB in the write-ahead log before it is copied into the database file. */
const CHECKPOINT_PAGES = 16384;
/** Of the database file. What no longer fits is still in the system's own cache. */
const CACHE_KIB = 16 * 1024;

/** While batches keep arriving, some deleted rows are freed at this interval. */
const FREE_EVERY_MS = 100;
/** This long after rows were freed, the log is truncated even if the writer is never idle. */
const ERASE_WITHIN_MS = 10_000;

/** Counted as the duration of a summary that failed for a transient reason. */
const RETRY_SUMMARY_MS = 200;
/** After this many failures in a row, a trace is not summarised until the next start. */
const SUMMARY_ATTEMPTS = 3;

/** How long packing rests, and making the file smaller, in times of how long the last step took. */
const REST_AFTER_STEP = 2;

interface Pending {
  readonly batch: BatchToWrite;
  readonly answer: PromiseWithResolvers<AppendOutcome>;
}

/**
 * The one writer of a data directory. Batches that arrive during a commit share the next one. Maintenance
 * (freeing deleted rows, summarising huge traces, compacting segments, filling columns and zones of older
 * versions, packing quiet traces, making the file smaller) runs in small steps when no batch waits.
 */
export class SpanWriter {
  readonly #db: DatabaseSync;
  readonly #writer: TraceWriter;
  readonly #remover: TraceRemover;
  readonly #scores: ScoreWriter;
  readonly #compactor: SegmentCompactor;
  readonly #merger: TraceMerger;
  readonly #olderSpans: OlderSpans;
  readonly #zoneFiller: ZoneFiller;
  readonly #freePages: FreePages;
  readonly #maxSpansPerTrace: number;
  readonly #announce: (changes: readonly TraceChange[]) => void;
  readonly #onTrouble: (trouble: StoreTrouble) => void;
  /** Traces that could not be summarised: skipped until the next start. */
  readonly #leftAlone = new Set<number>();
  /** Maintenance that failed: not tried again until the next start. */
  readonly #stopped = new Set<string>();
  /** Maintenance that has passed over a trace. */
  readonly #reported = new Set<string>();
  readonly #pacer = new SummaryPacer();
  /** How often in a row the summary of a trace has failed. */
  readonly #failedSummaries = new Map<number, number>();
  readonly #summaries: SummaryThread;
  /** One at a time. */
  #isSummarising = false;
  #isClosing = false;
  #nextSummary: NodeJS.Timeout | undefined;
  /** Undefined while packing does not rest. */
  #nextMerge: NodeJS.Timeout | undefined;
  /** Undefined while making the file smaller does not rest. */
  #nextShrink: NodeJS.Timeout | undefined;
  #pending: Pending[] = [];
  #scheduled = false;
  #closed = false;
  readonly #checkpoints: LogCheckpoints;
  #freedAt = Number.NEGATIVE_INFINITY;

  constructor(
    directory: string,
    {
      maxSpansPerTrace,
      announce,
      onTrouble,
      eraseWithinMs = ERASE_WITHIN_MS,
      compactFromBytes,
      quietMs,
    }: {
      readonly maxSpansPerTrace: number;
      /** Told what was committed. */
      readonly announce: (changes: readonly TraceChange[]) => void;
      /** Told of maintenance tasks that failed. */
      readonly onTrouble: (trouble: StoreTrouble) => void;
      readonly eraseWithinMs?: number;
      /** How much of a segment must be superseded before it is compacted. */
      readonly compactFromBytes?: number | undefined;
      /** How long a trace must have received nothing before it is packed. */
      readonly quietMs?: number | undefined;
    },
  ) {
    this.#db = new DatabaseSync(filesIn(directory).spans);
    this.#db.exec(
      `PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
    );
    this.#maxSpansPerTrace = maxSpansPerTrace;
    this.#writer = new TraceWriter(this.#db, { maxSpansPerTrace });
    this.#summaries = new SummaryThread(directory);
    this.#remover = new TraceRemover(this.#db);
    this.#scores = new ScoreWriter(this.#db);
    this.#compactor = new SegmentCompactor(this.#db, compactFromBytes);
    this.#merger = new TraceMerger(this.#db, quietMs);
    this.#olderSpans = new OlderSpans(this.#db, {
      summarise: (traceNo) => this.#writer.summaries.summarise(traceNo),
      onTrouble,
    });
    this.#zoneFiller = new ZoneFiller(this.#db, this.#writer.zones);
    this.#freePages = new FreePages(this.#db);
    this.#checkpoints = new LogCheckpoints(this.#db, {
      eraseWithinMs,
      onErased: () => {
        // Wakes the index, which drops what was deleted.
        announce([]);
        // The file may become smaller now.
        this.#schedule();
      },
    });
    this.#announce = announce;
    this.#onTrouble = onTrouble;
    this.#schedule();
  }

  append(batch: BatchToWrite): Promise<AppendOutcome> {
    if (this.#closed) {
      return Promise.resolve({ kind: "unavailable", reason: "The store is closed." });
    }
    const answer = Promise.withResolvers<AppendOutcome>();
    this.#pending.push({ batch, answer });
    this.#schedule();
    return answer.promise;
  }

  putScores(batch: ScoreBatch): ScoreOutcome {
    if (this.#closed) return { kind: "unavailable", reason: "The store is closed." };
    try {
      const { changes, rejected } = this.#inTransaction(() => this.#scores.write(batch));
      this.#announce(changes);
      return committedScores(rejected);
    } catch (error) {
      const reason = transientReason(error);
      if (reason === undefined) throw error;
      return { kind: "unavailable", reason };
    }
  }

  deleteTrace(project: string, traceId: string): DeleteOutcome {
    try {
      const deleted = this.#inTransaction(() => this.#remover.deleteTrace(project, traceId));
      if (!deleted) return { kind: "missing" };
    } catch (error) {
      const reason = transientReason(error);
      if (reason === undefined) throw error;
      return { kind: "unavailable", reason };
    }
    this.#schedule();
    return { kind: "deleted" };
  }

  expire(receivedBefore: number, limit: number): number {
    const count = this.#inTransaction(() => this.#remover.expire(receivedBefore, limit));
    if (count > 0) this.#schedule();
    return count;
  }

  /**
   * The index has dropped these deleted spans: their bookkeeping rows can be deleted.
   *
   * @returns False when the disk cannot be written now.
   */
  forgetDeletedSpans(spanNos: readonly number[]): boolean {
    if (this.#closed) return false;
    try {
      this.#inTransaction(() => this.#remover.forget(spanNos));
      this.#schedule();
      return true;
    } catch (error) {
      if (transientReason(error) === undefined) throw error;
      return false;
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    // First, because the last connection to close moves the write-ahead log into the database file.
    await this.#summaries.end();
    while (this.#pending.length > 0) this.#commitPending();
    this.#closed = true;
    this.#checkpoints.cancel();
    clearTimeout(this.#nextSummary);
    clearTimeout(this.#nextMerge);
    clearTimeout(this.#nextShrink);
    this.#db.close();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#checkpoints.cancel();
    // After the pending events, so that batches that have arrived share the commit.
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#closed) return;
      if (this.#pending.length > 0) {
        this.#commitPending();
        this.#freeWhileBusy();
      } else if (!this.#doChore()) {
        this.#checkpoints.eraseInTime();
        this.#checkpoints.whenQuiet();
        return;
      }
      this.#checkpoints.eraseInTime();
      this.#schedule();
    });
  }

  #commitPending(): void {
    const group = this.#pending.splice(0, BATCHES_PER_COMMIT);
    if (this.#commit(group, group.length > 1 ? "retry-alone" : "answer")) return;
    // An invalid batch must not fail the others of its group.
    for (const one of group) this.#commit([one], "answer");
  }

  /**
   * Commits batches together, and answers each.
   *
   * @param onError Whether an error is the answer, or left to the caller.
   * @returns False when nothing was committed, and nothing answered.
   */
  #commit(group: readonly Pending[], onError: "answer" | "retry-alone"): boolean {
    let written: WrittenBatch[];
    try {
      written = this.#inTransaction(() => group.map(({ batch }) => this.#write(batch)));
    } catch (error) {
      if (onError === "retry-alone") return false;
      const reason = transientReason(error);
      for (const { answer } of group) {
        if (reason === undefined) answer.reject(error);
        else answer.resolve({ kind: "unavailable", reason });
      }
      return true;
    }
    this.#announce(written.flatMap(({ changes }) => changes));
    for (const [n, { answer }] of group.entries()) {
      answer.resolve(committed(written[n]?.rejected ?? [], this.#maxSpansPerTrace));
    }
    return true;
  }

  #write(batch: BatchToWrite): WrittenBatch {
    this.#merger.noteWrite(batch.receivedAt);
    return this.#writer.write(batch);
  }

  /** @returns False when nothing is left to do. */
  #doChore(): boolean {
    return (
      this.#free() ||
      this.#attempt("Large traces get no new summary", () => this.#summariseOne()) ||
      this.#attempt("Superseded records are not freed", () => this.#compactor.compactSome()) ||
      this.#attempt("Spans of older versions are not completed", () =>
        this.#olderSpans.fillSome(),
      ) ||
      this.#attempt("Some lists read more than they need to", () => this.#zoneFiller.fillSome()) ||
      this.#mergeSome() ||
      this.#shrinkSome()
    );
  }

  /** Packs some traces, and rests: a database of an earlier version would keep a core busy for minutes. */
  #mergeSome(): boolean {
    if (this.#nextMerge !== undefined) return false;
    const started = performance.now();
    let wait: number | undefined;
    const isMore = this.#attempt("Quiet traces are not packed", () => {
      const hasMerged = this.#merger.mergeSome();
      if (!hasMerged) wait = this.#merger.nextTurn();
      return hasMerged;
    });
    if (isMore) wait = REST_AFTER_STEP * (performance.now() - started);
    if (wait === undefined) return false;
    this.#nextMerge = setTimeout(() => {
      this.#nextMerge = undefined;
      this.#schedule();
    }, wait).unref();
    return false;
  }

  /** Gives some free pages back to the system, and rests. */
  #shrinkSome(): boolean {
    // Deleted content is overwritten in the file before its pages leave the file.
    if (this.#nextShrink !== undefined || this.#checkpoints.isEraseDue) return false;
    if (!this.#freePages.areToGive) return false;
    const started = performance.now();
    const hasShrunk = this.#attempt("Free pages are not given back to the system", () =>
      this.#freePages.giveSome(),
    );
    if (!hasShrunk) return false;
    this.#checkpoints.noteShrunk();
    const wait = REST_AFTER_STEP * (performance.now() - started);
    this.#nextShrink = setTimeout(() => {
      this.#nextShrink = undefined;
      this.#schedule();
    }, wait).unref();
    return false;
  }

  /**
   * A task that fails does not stop the writer: it would fail again after every restart.
   *
   * @returns What the task returned, and true where it has yet to pass over a trace; otherwise false.
   */
  #attempt(consequence: string, task: () => boolean): boolean {
    if (this.#stopped.has(consequence)) return false;
    try {
      return this.#inTransaction(task);
    } catch (error) {
      // A full disk pauses maintenance, not the server; the next commit resumes it.
      if (transientReason(error) !== undefined) return false;
      if (error instanceof DamagedPageError) {
        this.#reportDamagedPage(consequence, error);
        return true;
      }
      this.#stopped.add(consequence);
      this.#onTrouble({ what: `${consequence} until the server is restarted.`, error });
      return false;
    }
  }

  /** Of many such traces, the log names one. */
  #reportDamagedPage(consequence: string, error: DamagedPageError): void {
    if (this.#reported.has(consequence)) return;
    this.#reported.add(consequence);
    this.#onTrouble({
      what: `${consequence} where their rows are on a damaged page of spans.db, as those of trace number ${error.traceNo} are. \`agate check\` lists the damage.`,
      error: error.cause,
    });
  }

  #free(): boolean {
    const hasFreed = this.#attempt("Deleted traces are not freed", () => {
      const hasFreed = this.#remover.freeSome();
      if (hasFreed) this.#checkpoints.noteFreed();
      return hasFreed;
    });
    // In a transaction of its own: it reads pages that may be damaged.
    if (hasFreed) {
      this.#attempt("Zones of deleted traces are kept", () => {
        this.#writer.zones.dropEmpty();
        return true;
      });
    }
    return hasFreed;
  }

  /** If batches never stop arriving, deleted content would otherwise stay in the file. */
  #freeWhileBusy(): void {
    if (performance.now() - this.#freedAt < FREE_EVERY_MS) return;
    this.#free();
    this.#freedAt = performance.now();
  }

  /** Begins to summarise a trace, if one is behind. */
  #summariseOne(): boolean {
    if (this.#isSummarising || this.#isClosing) return false;
    // Read first: a wait that ends between the two calls would otherwise be missed.
    const wait = this.#pacer.nextTurn();
    const traceNo = this.#writer.summaries.nextBehind(
      new Set([...this.#leftAlone, ...this.#pacer.resting()]),
    );
    if (traceNo === undefined) this.#comeBackForSummaries(wait);
    else void this.#summarise(traceNo);
    return false;
  }

  /** The spans are read in another thread, so that the batches that come meanwhile do not wait. */
  async #summarise(traceNo: number): Promise<void> {
    this.#isSummarising = true;
    this.#writer.summaries.beginSummary(traceNo);
    const started = performance.now();
    try {
      this.#endSummary(await this.#summaries.summaryOf(traceNo));
      this.#pacer.made(traceNo, performance.now() - started);
      this.#failedSummaries.delete(traceNo);
    } catch (error) {
      this.#giveUpSummary(traceNo, error);
    }
    this.#isSummarising = false;
    if (!this.#isClosing) this.#schedule();
  }

  #endSummary(summary: TraceSummary | undefined): void {
    if (this.#closed) return;
    this.#inTransaction(() => this.#writer.summaries.endSummary(summary));
  }

  #giveUpSummary(traceNo: number, error: unknown): void {
    // The thread was terminated with the writer; the next start summarises the trace.
    if (this.#isClosing) return;
    this.#pacer.made(traceNo, RETRY_SUMMARY_MS);
    // A full disk or missing file descriptors are not the trace's fault: it is retried.
    if (transientReason(error) !== undefined || isDescriptorShortage(error)) return;
    // Errors of the other thread have lost their codes, so a transient lock cannot be recognised.
    const failures = (this.#failedSummaries.get(traceNo) ?? 0) + 1;
    this.#failedSummaries.set(traceNo, failures);
    if (failures < SUMMARY_ATTEMPTS) return;
    this.#leftAlone.add(traceNo);
    this.#onTrouble({ what: `Trace number ${traceNo} could not be summarised.`, error });
  }

  /** A trace that has to wait is summarised later even if no commit follows. */
  #comeBackForSummaries(wait: number | undefined): void {
    clearTimeout(this.#nextSummary);
    if (wait === undefined) return;
    this.#nextSummary = setTimeout(() => this.#schedule(), wait).unref();
  }

  #inTransaction<T>(work: () => T): T {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#db.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }
}
