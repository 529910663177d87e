import { DatabaseSync } from "node:sqlite";
import { isDescriptorShortage } from "../../threads/spawn-thread.ts";
import type { BatchToWrite } from "../segments/batch-encoder.ts";
import { committed } from "../span-limit.ts";
import type { AppendOutcome, DeleteOutcome, TraceChange } from "../span-store.ts";
import type { StoreTrouble } from "../store-errors.ts";
import { SummaryPacer } from "../summary/summary-pacer.ts";
import { filesIn } from "./data-directory.ts";
import { OlderSpans } from "./older-spans.ts";
import { SegmentCompactor } from "./segment-compactor.ts";
import { transientReason } from "./sqlite-errors.ts";
import { SummaryThread } from "./summary-thread.ts";
import { TraceRemover } from "./trace-remover.ts";
import type { TraceSummary, WrittenBatch } from "./trace-writer.ts";
import { TraceWriter } from "./trace-writer.ts";

/** At most this many batches share a commit: the first of them should not wait for ever. */
const BATCHES_PER_COMMIT = 64;
/** Pages of 4 KiB in the write-ahead log before it is copied into the database file. */
const CHECKPOINT_PAGES = 16384;

/** Nothing to write for this long: the log is copied now, since reading past it costs every read. */
const QUIET_MS = 1_000;
/** While batches keep coming, some deleted rows are freed this often all the same. */
const FREE_EVERY_MS = 100;
/** This long after rows were freed, the log is emptied of them even if the writer is never quiet. */
const ERASE_WITHIN_MS = 10_000;

/** Counted as the time that a summary took which could not be made for now. */
const RETRY_SUMMARY_MS = 200;
/** A summary that fails this often in a row is given up until the next start. */
const SUMMARY_ATTEMPTS = 3;

interface Pending {
  readonly batch: BatchToWrite;
  readonly answer: PromiseWithResolvers<AppendOutcome>;
}

/**
 * The one writer of a data directory. Batches that arrive while it is busy wait together and share
 * the next commit; chores (freeing deleted rows, summaries of huge traces, compacting segments, columns
 * that older versions did not fill) are done in small steps when nothing waits.
 */
export class SpanWriter {
  readonly #db: DatabaseSync;
  readonly #writer: TraceWriter;
  readonly #remover: TraceRemover;
  readonly #compactor: SegmentCompactor;
  readonly #olderSpans: OlderSpans;
  readonly #maxSpansPerTrace: number;
  readonly #announce: (changes: readonly TraceChange[]) => void;
  readonly #onTrouble: (trouble: StoreTrouble) => void;
  /** Traces that could not be summarised: left alone until the next start. */
  readonly #leftAlone = new Set<number>();
  /** Maintenance that failed: not tried again until the next start. */
  readonly #stopped = new Set<string>();
  readonly #pacer = new SummaryPacer();
  /** How often in a row the summary of a trace has failed. */
  readonly #failedSummaries = new Map<number, number>();
  readonly #summaries: SummaryThread;
  /** One at a time. */
  #isSummarising = false;
  #isClosing = false;
  #nextSummary: NodeJS.Timeout | undefined;
  #pending: Pending[] = [];
  #scheduled = false;
  #quiet: NodeJS.Timeout | undefined;
  #closed = false;
  readonly #eraseWithinMs: number;
  #freedAt = Number.NEGATIVE_INFINITY;
  /** When the log has to be emptied, as it may hold content that was deleted; undefined if it holds none. */
  #eraseAt: number | undefined;

  constructor(
    directory: string,
    {
      maxSpansPerTrace,
      announce,
      onTrouble,
      eraseWithinMs = ERASE_WITHIN_MS,
      compactFromBytes,
    }: {
      readonly maxSpansPerTrace: number;
      /** Told what was committed. */
      readonly announce: (changes: readonly TraceChange[]) => void;
      /** Told of chores that failed. */
      readonly onTrouble: (trouble: StoreTrouble) => void;
      readonly eraseWithinMs?: number;
      /** How much of a segment must be superseded before it is compacted. */
      readonly compactFromBytes?: number | undefined;
    },
  ) {
    this.#eraseWithinMs = eraseWithinMs;
    this.#db = new DatabaseSync(filesIn(directory).spans);
    this.#db.exec(
      `PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
    );
    this.#maxSpansPerTrace = maxSpansPerTrace;
    this.#writer = new TraceWriter(this.#db, { maxSpansPerTrace });
    this.#summaries = new SummaryThread(directory);
    this.#remover = new TraceRemover(this.#db);
    this.#compactor = new SegmentCompactor(this.#db, compactFromBytes);
    this.#olderSpans = new OlderSpans(this.#db, {
      summarise: (traceNo) => this.#writer.summarise(traceNo),
      onTrouble,
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
   * The index has dropped these spans: nobody needs to know of them any more.
   *
   * @returns False when the disk cannot take that now.
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
    // First: the connection that closes last moves the write-ahead log into the database file.
    await this.#summaries.end();
    while (this.#pending.length > 0) this.#commitPending();
    this.#closed = true;
    clearTimeout(this.#quiet);
    clearTimeout(this.#nextSummary);
    this.#db.close();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    clearTimeout(this.#quiet);
    // After the events that are due: whatever has arrived by then is in the same commit.
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#closed) return;
      if (this.#pending.length > 0) {
        this.#commitPending();
        this.#freeWhileBusy();
      } else if (!this.#doChore()) {
        this.#eraseInTime();
        this.#checkpointWhenQuiet();
        return;
      }
      this.#eraseInTime();
      this.#schedule();
    });
  }

  #commitPending(): void {
    const group = this.#pending.splice(0, BATCHES_PER_COMMIT);
    if (this.#commit(group, group.length > 1 ? "retry-alone" : "answer")) return;
    // One bad batch must not fail its neighbours.
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
      written = this.#inTransaction(() => group.map(({ batch }) => this.#writer.write(batch)));
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

  /** @returns False when nothing is left to do. */
  #doChore(): boolean {
    return (
      this.#free() ||
      this.#attempt("Large traces get no new summary", () => this.#summariseOne()) ||
      this.#attempt("Superseded records are not freed", () => this.#compactor.compactSome()) ||
      this.#attempt("Spans of older versions are not completed", () => this.#olderSpans.fillSome())
    );
  }

  /** A chore that fails is not the end of the writer: it would fail again after every restart. */
  #attempt(consequence: string, chore: () => boolean): boolean {
    if (this.#stopped.has(consequence)) return false;
    try {
      return this.#inTransaction(chore);
    } catch (error) {
      // A full disk stops the chores, not the server; the next commit starts them again.
      if (transientReason(error) !== undefined) return false;
      this.#stopped.add(consequence);
      this.#onTrouble({ what: `${consequence} until the server is restarted.`, error });
      return false;
    }
  }

  #free(): boolean {
    return this.#attempt("Deleted traces are not freed", () => {
      const hasFreed = this.#remover.freeSome();
      if (hasFreed) this.#eraseAt ??= performance.now() + this.#eraseWithinMs;
      return hasFreed;
    });
  }

  /** Where batches never stop coming, what was deleted would otherwise stay in the file. */
  #freeWhileBusy(): void {
    if (performance.now() - this.#freedAt < FREE_EVERY_MS) return;
    this.#free();
    this.#freedAt = performance.now();
  }

  /** Begins to summarise a trace, if one is behind. */
  #summariseOne(): boolean {
    if (this.#isSummarising || this.#isClosing) return false;
    // Asked for first: a turn that comes between the two questions would never be taken.
    const wait = this.#pacer.nextTurn();
    const traceNo = this.#writer.nextBehind(
      new Set([...this.#leftAlone, ...this.#pacer.resting()]),
    );
    if (traceNo === undefined) this.#comeBackForSummaries(wait);
    else void this.#summarise(traceNo);
    return false;
  }

  /** The spans are read in another thread, so that the batches that come meanwhile do not wait. */
  async #summarise(traceNo: number): Promise<void> {
    this.#isSummarising = true;
    this.#writer.beginSummary(traceNo);
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
    this.#inTransaction(() => this.#writer.endSummary(summary));
  }

  #giveUpSummary(traceNo: number, error: unknown): void {
    // The thread was ended with the writer; the next start finds that the trace is behind.
    if (this.#isClosing) return;
    this.#pacer.made(traceNo, RETRY_SUMMARY_MS);
    // Neither a full disk nor a want of descriptors is the trace's fault: it has another turn.
    if (transientReason(error) !== undefined || isDescriptorShortage(error)) return;
    // Errors of the other thread have lost their codes: a lock that passes looks like any other.
    const failures = (this.#failedSummaries.get(traceNo) ?? 0) + 1;
    this.#failedSummaries.set(traceNo, failures);
    if (failures < SUMMARY_ATTEMPTS) return;
    this.#leftAlone.add(traceNo);
    this.#onTrouble({ what: `Trace number ${traceNo} could not be summarised.`, error });
  }

  /** A trace that rests now may be behind: no commit is needed for its turn. */
  #comeBackForSummaries(wait: number | undefined): void {
    clearTimeout(this.#nextSummary);
    if (wait === undefined) return;
    this.#nextSummary = setTimeout(() => this.#schedule(), wait).unref();
  }

  /**
   * Copies the log into the file. After something was deleted, the log is emptied too: its pages are
   * those from before. Where a reader is in the way, that is tried again.
   */
  #checkpoint(): void {
    try {
      const hasErased = this.#eraseAt !== undefined;
      const mode = hasErased ? "TRUNCATE" : "PASSIVE";
      const row = this.#db.prepare(`PRAGMA wal_checkpoint(${mode})`).get() as { busy: number };
      if (!hasErased) return;
      if (row.busy !== 0) {
        this.#eraseAt = performance.now() + QUIET_MS;
        this.#checkpointWhenQuiet();
        return;
      }
      this.#eraseAt = undefined;
      // The index is to drop what was deleted, though nothing new has come.
      this.#announce([]);
    } catch (error) {
      // Nothing is lost: the log stays, and the next commit that fills it tries again.
      if (transientReason(error) === undefined) throw error;
      if (this.#eraseAt !== undefined) this.#eraseAt = performance.now() + QUIET_MS;
    }
  }

  /** Empties the log of deleted content when it is time, though the writer is not quiet. */
  #eraseInTime(): void {
    if (this.#eraseAt !== undefined && performance.now() >= this.#eraseAt) this.#checkpoint();
  }

  #checkpointWhenQuiet(): void {
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#checkpoint(), QUIET_MS).unref();
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
