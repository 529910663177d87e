import { rmSync } from "node:fs";
import type { StatementSync } from "node:sqlite";
import { DatabaseSync } from "node:sqlite";
import { AFTER_LISTED_TOTAL } from "../../span-tree/record-text.ts";
import { filesIn, sqliteCode } from "./data-directory.ts";
import { searchableText } from "./search-text.ts";
import { decodeHeader } from "./segment.ts";

/** Spans in one step: some tens of milliseconds of work, and one commit. */
const SPANS_PER_STEP = 1_000;

interface SpanPlace {
  readonly span_no: number;
  readonly span_id: string;
  readonly segment: number;
}

/**
 * Keeps the full-text index, a file of its own that trails the spans: indexing never holds the lock
 * that ingest needs. The index holds how far it has come, so a restart resumes it, and a file that
 * is lost or damaged is made anew.
 */
export class SearchIndexer {
  readonly #spans: DatabaseSync;
  readonly #index: DatabaseSync;
  readonly #nextSpans: StatementSync;
  readonly #segment: StatementSync;
  readonly #nextDeleted: StatementSync;
  readonly #insert: StatementSync;
  readonly #remove: StatementSync;
  readonly #setProgress: StatementSync;
  #indexed: number;

  constructor(directory: string) {
    const files = filesIn(directory);
    this.#spans = new DatabaseSync(files.spans, { readOnly: true });
    this.#index = openIndex(files.search);
    this.#indexed = progressOf(this.#index);
    if (this.#indexed > lastSpanNo(this.#spans)) {
      // The spans were restored from a backup: the index knows rows that are gone.
      this.#index.close();
      this.#index = remakeIndex(files.search);
      this.#indexed = 0;
    }
    this.#nextSpans = this.#spans.prepare(
      "SELECT span_no, span_id, segment FROM spans WHERE span_no > ? ORDER BY span_no LIMIT ?",
    );
    this.#segment = this.#spans.prepare("SELECT header, body FROM segments WHERE segment = ?");
    this.#nextDeleted = this.#spans.prepare("SELECT span_no FROM deleted_spans LIMIT ?");
    this.#insert = this.#index.prepare("INSERT INTO spans_text (rowid, text) VALUES (?, ?)");
    this.#remove = this.#index.prepare("DELETE FROM spans_text WHERE rowid = ?");
    this.#setProgress = this.#index.prepare("UPDATE progress SET span_no = ?");
  }

  /** Indexes some spans. @returns False when it has caught up. */
  indexSome(): boolean {
    const places = this.#nextSpans.all(this.#indexed, SPANS_PER_STEP) as unknown as SpanPlace[];
    const last = places.at(-1);
    if (last === undefined) return false;
    const textOf = this.#texts();
    this.#inTransaction(() => {
      for (const place of places) {
        const text = textOf(place);
        if (text !== undefined) this.#insert.run(place.span_no, text);
      }
      this.#setProgress.run(last.span_no);
    });
    this.#indexed = last.span_no;
    return true;
  }

  /** Drops some deleted spans from the index. @returns Their numbers, which may be forgotten now. */
  removeSome(): number[] {
    const rows = this.#nextDeleted.all(SPANS_PER_STEP) as { span_no: number }[];
    // What is not indexed yet will not be: its row is gone.
    const numbers = rows.map((row) => row.span_no).filter((n) => n <= this.#indexed);
    if (numbers.length > 0) {
      this.#inTransaction(() => {
        for (const number of numbers) this.#remove.run(number);
      });
    }
    return numbers;
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
  #texts(): (place: SpanPlace) => string | undefined {
    let current = -1;
    let body: Buffer | undefined;
    let entries = new Map<string, { offset: number; openLength: number }>();
    return ({ span_id, segment }) => {
      if (segment !== current) {
        const row = this.#segment.get(segment) as { header: string; body: Uint8Array } | undefined;
        current = segment;
        body = row && Buffer.from(row.body.buffer, row.body.byteOffset, row.body.byteLength);
        entries = new Map(
          row === undefined ? [] : decodeHeader(row.header).map((entry) => [entry.id, entry]),
        );
      }
      const entry = entries.get(span_id);
      // Deleted meanwhile.
      if (body === undefined || entry === undefined) return undefined;
      const open = body.toString("utf8", entry.offset, entry.offset + entry.openLength);
      return searchableText(JSON.parse(`${open}null${AFTER_LISTED_TOTAL}`));
    };
  }
}

const SCHEMA = `
  CREATE VIRTUAL TABLE spans_text USING fts5(
    text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
  );
  CREATE TABLE progress (span_no INTEGER NOT NULL) STRICT;
  INSERT INTO progress VALUES (0);
  PRAGMA user_version = 1;
`;

function openIndex(file: string): DatabaseSync {
  try {
    const index = new DatabaseSync(file);
    // Not FULL: what a power cut takes from the index is indexed again.
    index.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    const { user_version } = index.prepare("PRAGMA user_version").get() as {
      user_version: number;
    };
    if (user_version === 1) {
      progressOf(index);
      return index;
    }
    index.close();
  } catch (error) {
    // Not a SQLite error (no permission, say): making the file anew would not help.
    if (sqliteCode(error) === undefined) throw error;
  }
  return remakeIndex(file);
}

function remakeIndex(file: string): DatabaseSync {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  const index = new DatabaseSync(file);
  index.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  index.exec(`BEGIN; ${SCHEMA} COMMIT`);
  return index;
}

function progressOf(index: DatabaseSync): number {
  return (index.prepare("SELECT span_no FROM progress").get() as { span_no: number }).span_no;
}

function lastSpanNo(spans: DatabaseSync): number {
  const row = spans.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'spans'").get();
  return (row as { seq: number } | undefined)?.seq ?? 0;
}
