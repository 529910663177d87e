import type { StatementSync } from "node:sqlite";
import { DatabaseSync } from "node:sqlite";
import type { MessagePort } from "node:worker_threads";
import { joinTexts, searchableTexts } from "../search/search-text.ts";
import { UnindexableSpans } from "../search/unindexable-spans.ts";
import { decodeHeader, unpackBody } from "../segments/segment.ts";
import type { StoredSegment } from "../segments/sent-again.ts";
import type { SpanAdditions } from "../span-additions.ts";
import { NO_ADDITIONS } from "../span-additions.ts";
import type { StoreTrouble } from "../store-errors.ts";
import { filesIn } from "./data-directory.ts";
import { ScoreReader } from "./score-table.ts";
import type { IndexProgress } from "./span-index-file.ts";
import { openIndex, progressOf } from "./span-index-file.ts";
import { isCorrupt, sqliteCode } from "./sqlite-errors.ts";

/** Spans whose text is indexed in one step: some tens of milliseconds of work, and one commit. */
const TEXTS_PER_STEP = 1_000;
/** Ids in one step. Sorted, neighbours go to the same page: the more at once, the fewer pages. */
const IDS_PER_STEP = 20_000;
const DELETIONS_PER_STEP = 1_000;
/** Pages of the index of words that are rewritten in one step. */
const PAGES_PER_MERGE = 200;

interface SpanPlace {
  readonly span_no: number;
  readonly span_id: string;
  readonly segment: number;
}

interface SpanName {
  readonly span_no: number;
  readonly span_id: string;
}

/** A span with logged content, by the ids of which the content is found. */
interface LoggedSpan {
  readonly project: string;
  readonly trace_id: string;
  readonly span_id: string;
}

/**
 * Indexes spans by their id and by their words, in a separate file that trails the spans, so that ingest
 * neither waits for its random writes nor shares a lock with it. The file stores its progress, so that a
 * restart resumes it; a lost or damaged file is rebuilt.
 *
 * A lookup by id must also search the spans beyond `progress.ids`.
 */
export class SpanIndexer {
  readonly #spans: DatabaseSync;
  readonly #index: DatabaseSync;
  readonly #nextSpans: StatementSync;
  readonly #segment: StatementSync;
  readonly #segmentOf: StatementSync;
  readonly #nextDeleted: StatementSync;
  readonly #anyLogged: StatementSync;
  readonly #loggedAmong: StatementSync;
  readonly #nextLogged: StatementSync;
  readonly #findSpan: StatementSync;
  readonly #scores: ScoreReader;
  readonly #insertText: StatementSync;
  readonly #insertId: StatementSync;
  readonly #removeText: StatementSync;
  readonly #removeId: StatementSync;
  readonly #mergeTexts: StatementSync;
  readonly #setTexts: StatementSync;
  readonly #setIds: StatementSync;
  readonly #setContents: StatementSync;
  readonly #onTrouble: (trouble: StoreTrouble) => void;
  #progress: IndexProgress;

  /** @param onTrouble Told of spans that are skipped because their text cannot be indexed. */
  constructor(directory: string, onTrouble: (trouble: StoreTrouble) => void) {
    this.#onTrouble = onTrouble;
    const files = filesIn(directory);
    this.#spans = new DatabaseSync(files.spans, { readOnly: true });
    this.#index = openIndex(files.index);
    this.#progress = progressOf(this.#index);
    this.#nextSpans = this.#spans.prepare(
      "SELECT span_no, span_id, segment FROM spans WHERE span_no > ? ORDER BY span_no LIMIT ?",
    );
    this.#segment = this.#spans.prepare("SELECT header, body FROM segments WHERE segment = ?");
    this.#segmentOf = this.#spans.prepare("SELECT segment FROM spans WHERE span_no = ?");
    this.#nextDeleted = this.#spans.prepare("SELECT span_no, span_id FROM deleted_spans LIMIT ?");
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
      `SELECT s.span_no, s.span_id, s.segment FROM traces t CROSS JOIN spans s USING (trace_no)
       WHERE t.project = ? AND t.trace_id = ? AND s.span_id = ?`,
    );
    this.#scores = new ScoreReader(this.#spans);
    this.#insertText = this.#index.prepare("INSERT INTO spans_text (rowid, text) VALUES (?, ?)");
    this.#insertId = this.#index.prepare("INSERT INTO span_ids (span_id, span_no) VALUES (?, ?)");
    this.#removeText = this.#index.prepare("DELETE FROM spans_text WHERE rowid = ?");
    this.#removeId = this.#index.prepare("DELETE FROM span_ids WHERE span_id = ? AND span_no = ?");
    this.#mergeTexts = this.#index.prepare(
      `INSERT INTO spans_text (spans_text, rank) VALUES ('merge', -${PAGES_PER_MERGE})`,
    );
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
    const rows = this.#nextDeleted.all(DELETIONS_PER_STEP) as unknown as SpanName[];
    // A deleted span that is not indexed yet will not be: its row is gone.
    const { ids, texts } = this.#progress;
    const gone = rows.filter((row) => row.span_no <= Math.min(ids, texts));
    if (gone.length > 0) {
      this.#inTransaction(() => {
        for (const { span_no, span_id } of gone) {
          this.#removeText.run(span_no);
          this.#removeId.run(span_id, span_no);
        }
      });
    }
    return gone.map((row) => row.span_no);
  }

  /**
   * Rewrites some of the index of words, as a removed span's words stay in it until then.
   *
   * @returns False when no removed word is left, nor any in the write-ahead log.
   */
  eraseSome(): boolean {
    const before = this.#changes();
    this.#mergeTexts.run();
    // FTS5 counts its own statement as one change.
    if (this.#changes() - before >= 2) return true;
    const row = this.#index.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() as { busy: number };
    return row.busy !== 0;
  }

  #changes(): number {
    return (this.#index.prepare("SELECT total_changes() AS n").get() as { n: number }).n;
  }

  #indexIds(): boolean {
    const names = this.#nextSpans.all(this.#progress.ids, IDS_PER_STEP) as unknown as SpanName[];
    const last = names.at(-1);
    if (last === undefined) return false;
    names.sort((a, b) => (a.span_id < b.span_id ? -1 : 1));
    this.#inTransaction(() => {
      for (const { span_id, span_no } of names) this.#insertId.run(span_id, span_no);
      this.#setIds.run(last.span_no);
    });
    this.#progress = { ...this.#progress, ids: last.span_no };
    return true;
  }

  #indexTexts(): boolean {
    const places = this.#nextSpans.all(
      this.#progress.texts,
      TEXTS_PER_STEP,
    ) as unknown as SpanPlace[];
    const last = places.at(-1);
    if (last === undefined) return false;
    const logged = this.#loggedIn(this.#progress.texts, last.span_no);
    const textOf = this.#texts();
    const unindexable = new UnindexableSpans();
    this.#inTransaction(() => {
      for (const place of places) {
        this.#indexText(place, unindexable, () =>
          textOf(place, this.#contentOf(logged.get(place.span_no))),
        );
      }
      this.#setTexts.run(last.span_no);
    });
    this.#progress = { ...this.#progress, texts: last.span_no };
    unindexable.report(this.#onTrouble);
    return true;
  }

  /**
   * Indexes spans again for which content was logged since. One that is not there yet, or whose text is yet to be
   * indexed, is indexed with its content then.
   */
  #indexContents(): boolean {
    const rows = this.#nextLogged.all(this.#progress.contents, TEXTS_PER_STEP);
    const logged = rows as unknown as (LoggedSpan & { readonly logged_no: number })[];
    const last = logged.at(-1);
    if (last === undefined) return false;
    const textOf = this.#texts();
    const unindexable = new UnindexableSpans();
    this.#inTransaction(() => {
      for (const span of logged) {
        const { project, trace_id, span_id } = span;
        const found = this.#findSpan.get(project, trace_id, span_id);
        const place = found as unknown as SpanPlace | undefined;
        if (place === undefined || place.span_no > this.#progress.texts) continue;
        this.#removeText.run(place.span_no);
        this.#indexText(place, unindexable, () => textOf(place, this.#contentOf(span)));
      }
      this.#setContents.run(last.logged_no);
    });
    this.#progress = { ...this.#progress, contents: last.logged_no };
    unindexable.report(this.#onTrouble);
    return true;
  }

  #indexText(
    { span_no, span_id }: SpanPlace,
    unindexable: UnindexableSpans,
    textOf: () => string | undefined,
  ): void {
    try {
      const text = textOf();
      if (text !== undefined) this.#insertText.run(span_no, text);
    } catch (error) {
      if (!isOfSpan(error)) throw error;
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
      throw error;
    }
  }

  /** The text of a span; the spans of a segment come one after the other, so one is kept at hand. */
  #texts(): (place: SpanPlace, added: SpanAdditions) => string | undefined {
    let current = -1;
    let body: Buffer | undefined;
    let entries = new Map<string, { offset: number; openLength: number }>();
    const textOf = (place: SpanPlace, added: SpanAdditions): string | undefined => {
      const { span_no, span_id, segment } = place;
      if (segment !== current) {
        const row = this.#readSegment(segment);
        const plain = row && unpackBody(row.body);
        body = plain && Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength);
        entries = new Map(
          row === undefined
            ? []
            : decodeHeader(row.header, segment).map((entry) => [entry.id, entry]),
        );
        // Last: a segment that cannot be read fails for each of its spans.
        current = segment;
      }
      const entry = entries.get(span_id);
      if (body === undefined || entry === undefined) {
        // Its trace was merged meanwhile, or it was deleted.
        const now = this.#segmentOf.get(span_no) as { segment: number } | undefined;
        const isMoved = now !== undefined && now.segment !== segment;
        return isMoved ? textOf({ ...place, ...now }, added) : undefined;
      }
      const open = body.toString("utf8", entry.offset, entry.offset + entry.openLength);
      return joinTexts(searchableTexts(JSON.parse(added.listed(open, "null"))));
    };
    return textOf;
  }

  #readSegment(segment: number): StoredSegment | undefined {
    try {
      return this.#segment.get(segment) as StoredSegment | undefined;
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      // Without SQLite's code, which would mean that the index is damaged.
      throw new Error(`Segment ${segment} is damaged`, { cause: error });
    }
  }
}

/** SQLite's code for a text that is longer than it can hold. */
const SQLITE_TOOBIG = 18;

/** Whether an error concerns the span at hand, and would come again with every attempt. */
function isOfSpan(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === undefined || code === SQLITE_TOOBIG;
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
