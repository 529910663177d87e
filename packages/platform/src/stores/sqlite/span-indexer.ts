import type { StatementSync } from "node:sqlite";
import { DatabaseSync } from "node:sqlite";
import type { MessagePort } from "node:worker_threads";
import { LOGGED_CONTENT } from "../logged-content.ts";
import { UnindexableSpans } from "../search/unindexable-spans.ts";
import type { SpanAdditions } from "../span-additions.ts";
import { NO_ADDITIONS } from "../span-additions.ts";
import type { StoreTrouble } from "../store-errors.ts";
import { filesIn } from "./data-directory.ts";
import { FreePages } from "./free-pages.ts";
import { idHash } from "./id-hash.ts";
import { copyLog } from "./log-checkpoints.ts";
import { ScoreReader } from "./score-table.ts";
import type { IndexProgress } from "./span-index-file.ts";
import { openIndex, progressOf, WORD_TABLES } from "./span-index-file.ts";
import { segmentOf } from "./span-schema.ts";
import type { SpanPlace } from "./span-texts.ts";
import { SpanTexts } from "./span-texts.ts";
import { sqliteCode } from "./sqlite-errors.ts";
import { TextDocuments } from "./text-documents.ts";
import { TraceReindexer } from "./trace-reindexer.ts";

/** Spans whose text is indexed in one step: some tens of milliseconds of work, and one commit. */
const TEXTS_PER_STEP = 1_000;
/** Ids in one step. Sorted, neighbours go to the same page: the more at once, the fewer pages. */
const IDS_PER_STEP = 20_000;
const DELETIONS_PER_STEP = 1_000;
/** Pages of the index of words that are rewritten in one step. */
const PAGES_PER_MERGE = 200;

interface SpanName {
  readonly span_no: number;
  readonly span_id: string;
}

interface SpanToIndex extends SpanPlace {
  readonly trace_no: number;
}

interface DeletedSpan extends SpanName {
  /** Null: it was deleted by a version that did not note it, and is in no document of a trace. */
  readonly trace_no: number | null;
}

/** A span with logged content, by the ids of which the content is found. */
interface LoggedSpan {
  readonly project: string;
  readonly trace_id: string;
  readonly span_id: string;
}

/**
 * Indexes spans by their id, and traces by their words, in a separate file that trails the spans, so that ingest
 * neither waits for its random writes nor shares a lock with it. The file stores its progress, so that a
 * restart resumes it; a lost or damaged file is rebuilt.
 *
 * A lookup by id must also search the spans beyond `progress.ids`.
 */
export class SpanIndexer {
  readonly #spans: DatabaseSync;
  readonly #index: DatabaseSync;
  readonly #nextSpans: StatementSync;
  readonly #nextDeleted: StatementSync;
  readonly #anyLogged: StatementSync;
  readonly #loggedAmong: StatementSync;
  readonly #nextLogged: StatementSync;
  readonly #findSpan: StatementSync;
  readonly #contentsOf: StatementSync;
  readonly #scores: ScoreReader;
  readonly #texts: SpanTexts;
  readonly #documents: TextDocuments;
  readonly #reindexer: TraceReindexer;
  readonly #insertId: StatementSync;
  readonly #removeOlderText: StatementSync;
  readonly #removeId: StatementSync;
  readonly #removeOlderId: StatementSync;
  readonly #merges: readonly StatementSync[];
  readonly #freePages: FreePages;
  readonly #setTexts: StatementSync;
  readonly #setIds: StatementSync;
  readonly #setContents: StatementSync;
  readonly #onTrouble: (trouble: StoreTrouble) => void;
  #progress: IndexProgress;
  #isCutBlocked = false;

  /** @param onTrouble Told of spans that are skipped because their text cannot be indexed. */
  constructor(directory: string, onTrouble: (trouble: StoreTrouble) => void) {
    this.#onTrouble = onTrouble;
    const files = filesIn(directory);
    this.#spans = new DatabaseSync(files.spans, { readOnly: true });
    this.#index = openIndex(files.index);
    this.#progress = progressOf(this.#index);
    this.#nextSpans = this.#spans.prepare(
      `SELECT span_no, span_id, ${segmentOf("spans")} AS segment, trace_no FROM spans
       WHERE span_no > ? ORDER BY span_no LIMIT ?`,
    );
    this.#nextDeleted = this.#spans.prepare(
      "SELECT span_no, span_id, trace_no FROM deleted_spans LIMIT ?",
    );
    this.#anyLogged = this.#spans.prepare("SELECT 1 FROM logged_spans LIMIT 1");
    // CROSS JOIN keeps the order of the tables.
    this.#loggedAmong = this.#spans.prepare(
      `SELECT s.span_no, l.project, l.trace_id, l.span_id FROM spans s CROSS JOIN traces t USING (trace_no)
       CROSS JOIN logged_spans l
         ON l.project = t.project AND l.trace_id = t.trace_id AND l.span_id = s.span_id
       WHERE s.span_no > ? AND s.span_no <= ?`,
    );
    this.#nextLogged = this.#spans.prepare(
      `SELECT logged_no, project, trace_id, span_id FROM logged_spans WHERE logged_no > ?
       ORDER BY logged_no LIMIT ?`,
    );
    this.#findSpan = this.#spans.prepare(
      `SELECT s.span_no, s.span_id, ${segmentOf("s")} AS segment, s.trace_no FROM traces t CROSS JOIN spans s USING (trace_no)
       WHERE t.project = ? AND t.trace_id = ? AND s.span_id = ?`,
    );
    this.#contentsOf = this.#spans.prepare(
      `SELECT count(*) AS n FROM scores
       WHERE project = ? AND trace_id = ? AND span_id = ? AND name = '${LOGGED_CONTENT}'`,
    );
    const [texts, documents, scores] = [
      new SpanTexts(this.#spans),
      new TextDocuments(this.#index),
      new ScoreReader(this.#spans),
    ];
    this.#texts = texts;
    this.#documents = documents;
    this.#scores = scores;
    this.#reindexer = new TraceReindexer(this.#spans, this.#index, { texts, documents, scores });
    this.#insertId = this.#index.prepare("INSERT INTO id_hashes (hash, span_no) VALUES (?, ?)");
    this.#removeOlderText = this.#index.prepare("DELETE FROM spans_text WHERE rowid = ?");
    this.#removeId = this.#index.prepare("DELETE FROM id_hashes WHERE hash = ? AND span_no = ?");
    this.#removeOlderId = this.#index.prepare(
      "DELETE FROM span_ids WHERE span_id = ? AND span_no = ?",
    );
    this.#merges = WORD_TABLES.map((table) =>
      this.#index.prepare(
        `INSERT INTO ${table} (${table}, rank) VALUES ('merge', -${PAGES_PER_MERGE})`,
      ),
    );
    this.#freePages = new FreePages(this.#index);
    this.#setTexts = this.#index.prepare("UPDATE progress SET texts = ?");
    this.#setIds = this.#index.prepare("UPDATE progress SET ids = ?");
    this.#setContents = this.#index.prepare("UPDATE progress SET contents = ?");
  }

  /** Indexes some ids, then some texts, then some logged content. @returns False when it has caught up. */
  indexSome(): boolean {
    return this.#indexIds() || this.#indexTexts() || this.#indexContents();
  }

  /** Drops some deleted spans from the index. @returns Their numbers, which may be forgotten now. */
  removeSome(): number[] {
    const rows = this.#nextDeleted.all(DELETIONS_PER_STEP) as unknown as DeletedSpan[];
    // A deleted span that is not indexed yet will not be: its row is gone.
    const { ids, texts } = this.#progress;
    const gone = rows.filter((row) => row.span_no <= Math.min(ids, texts));
    if (gone.length > 0) {
      this.#inTransaction(() => {
        for (const { span_no, span_id } of gone) {
          this.#removeOlderText.run(span_no);
          this.#removeId.run(idHash(span_id), span_no);
          this.#removeOlderId.run(span_id, span_no);
        }
        this.#reindexer.noteChanged(
          new Set(gone.flatMap(({ trace_no }) => (trace_no === null ? [] : [trace_no]))),
        );
      });
    }
    return gone.map((row) => row.span_no);
  }

  /**
   * Indexes some spans again of traces in which others were replaced.
   *
   * @param isAwaited Whether a caller waits for it.
   * @returns False when nothing is left, or all that is left rests: see {@link nextReindexing}.
   */
  reindexSome(isAwaited: boolean): boolean {
    // Mostly there is none, for which no transaction is begun.
    if (!this.#reindexer.hasStale) return false;
    let hasWorked = false;
    this.#inTransaction(() => {
      hasWorked = this.#reindexer.reindexSome(isAwaited);
    });
    return hasWorked;
  }

  /** Milliseconds until a trace that rests is indexed again; undefined where there is none. */
  nextReindexing(): number | undefined {
    return this.#reindexer.nextTurn();
  }

  /**
   * Rewrites some of the index of words, as a removed span's words stay in it until then.
   *
   * @returns False when no removed word is left, nor any in the write-ahead log.
   */
  eraseSome(): boolean {
    for (const merge of this.#merges) {
      const before = this.#changes();
      merge.run();
      // FTS5 counts its own statement as one change.
      if (this.#changes() - before >= 2) return true;
    }
    return copyLog(this.#index, "TRUNCATE").isBlocked;
  }

  /**
   * Gives some free pages of the file back to the system. What they held is overwritten in the file before.
   *
   * @returns False when none are left to give, or {@link isCutBlocked}.
   */
  shrinkSome(): boolean {
    const { areToGive } = this.#freePages;
    if (!areToGive && !this.#isCutBlocked) return false;
    this.#cut();
    if (!areToGive || this.#isCutBlocked) return false;
    this.#inTransaction(() => {
      this.#freePages.giveSome();
    });
    this.#cut();
    return !this.#isCutBlocked;
  }

  /** Whether a reader that needs the log keeps the file longer than it has to be. */
  get isCutBlocked(): boolean {
    return this.#isCutBlocked;
  }

  /** The file is cut off when all of the log is copied into it. */
  #cut(): void {
    this.#isCutBlocked = !copyLog(this.#index, "PASSIVE").isWhole;
  }

  #changes(): number {
    return (this.#index.prepare("SELECT total_changes() AS n").get() as { n: number }).n;
  }

  #indexIds(): boolean {
    const names = this.#nextSpans.all(this.#progress.ids, IDS_PER_STEP) as unknown as SpanName[];
    const last = names.at(-1);
    if (last === undefined) return false;
    const ids = names.map(({ span_id, span_no }) => ({ hash: idHash(span_id), span_no }));
    ids.sort((a, b) => a.hash - b.hash);
    this.#inTransaction(() => {
      for (const { hash, span_no } of ids) this.#insertId.run(hash, span_no);
      this.#setIds.run(last.span_no);
    });
    this.#progress = { ...this.#progress, ids: last.span_no };
    return true;
  }

  #indexTexts(): boolean {
    const places = this.#nextSpans.all(
      this.#progress.texts,
      TEXTS_PER_STEP,
    ) as unknown as SpanToIndex[];
    const last = places.at(-1);
    if (last === undefined) return false;
    const logged = this.#loggedIn(this.#progress.texts, last.span_no);
    const textsOf = this.#texts.inSequence();
    const unindexable = new UnindexableSpans();
    this.#inTransaction(() => {
      for (const place of places) {
        this.#indexText(place, unindexable, () =>
          textsOf(place, this.#contentOf(logged.get(place.span_no))),
        );
      }
      this.#documents.write();
      this.#setTexts.run(last.span_no);
    });
    this.#progress = { ...this.#progress, texts: last.span_no };
    unindexable.report(this.#onTrouble);
    return true;
  }

  /**
   * Indexes content of spans that was logged since. That of a span which is not there yet, or whose text is yet to be
   * indexed, is indexed with it then.
   */
  #indexContents(): boolean {
    const rows = this.#nextLogged.all(this.#progress.contents, TEXTS_PER_STEP);
    const logged = rows as unknown as (LoggedSpan & { readonly logged_no: number })[];
    const last = logged.at(-1);
    if (last === undefined) return false;
    const textsOf = this.#texts.inSequence();
    const unindexable = new UnindexableSpans();
    const changed = new Set<number>();
    this.#inTransaction(() => {
      for (const span of logged) {
        const { project, trace_id, span_id } = span;
        const found = this.#findSpan.get(project, trace_id, span_id);
        const place = found as unknown as SpanToIndex | undefined;
        if (place === undefined || place.span_no > this.#progress.texts) continue;
        this.#indexText(place, unindexable, () => textsOf(place, this.#contentOf(span)));
        // Content that is logged later may take the place of what was logged before.
        const { n } = this.#contentsOf.get(project, trace_id, span_id) as { n: number };
        if (n > 1) changed.add(place.trace_no);
      }
      this.#documents.write();
      this.#reindexer.noteChanged(changed);
      this.#setContents.run(last.logged_no);
    });
    this.#progress = { ...this.#progress, contents: last.logged_no };
    unindexable.report(this.#onTrouble);
    return true;
  }

  #indexText(
    { trace_no, span_id }: SpanToIndex,
    unindexable: UnindexableSpans,
    textsOf: () => readonly string[] | undefined,
  ): void {
    try {
      const texts = textsOf();
      if (texts !== undefined) this.#documents.add(trace_no, texts);
    } catch (error) {
      // Of SQLite: it concerns the files, and not the span.
      if (sqliteCode(error) !== undefined) throw error;
      unindexable.add({ spanId: span_id }, error);
    }
  }

  /** The spans with logged content beyond a number and up to another; none are looked for where nothing is logged. */
  #loggedIn(after: number, upTo: number): ReadonlyMap<number, LoggedSpan> {
    if (this.#anyLogged.get() === undefined) return new Map();
    const rows = this.#loggedAmong.all(after, upTo) as unknown as (LoggedSpan & SpanName)[];
    return new Map(rows.map((row) => [row.span_no, row]));
  }

  #contentOf(logged: LoggedSpan | undefined): SpanAdditions {
    if (logged === undefined) return NO_ADDITIONS;
    return this.#scores.ofListed(logged.project, logged.trace_id, logged.span_id, false);
  }

  close(): void {
    this.#spans.close();
    this.#index.close();
  }

  #inTransaction(work: () => void): void {
    this.#index.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#index.exec("COMMIT");
    } catch (error) {
      if (this.#index.isTransaction) this.#index.exec("ROLLBACK");
      this.#documents.rolledBack();
      this.#reindexer.rolledBack();
      throw error;
    }
  }
}

export type SpanIndexApi = {
  /** There may be new spans. Replies at once. */
  wake(): Promise<void>;
  /** Answers when everything committed before the call is indexed. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
};

export interface SpanIndexData {
  readonly directory: string;
  /** To the writer, the only thread that changes the spans' file: serves {@link ForgetApi}. */
  readonly writer: MessagePort;
  /** Where a `StoreTrouble` is reported. */
  readonly troubles: MessagePort;
}

/** What the index asks of the writer. */
export type ForgetApi = {
  /** These deleted spans are no longer in the index. False: call again later. */
  forgotten(spanNos: readonly number[]): Promise<boolean>;
};
