import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { filesIn, makePrivateFile } from "./data-directory.ts";
import { letShrink } from "./free-pages.ts";
import { sqliteCode } from "./sqlite-errors.ts";

const VERSION = 4;
const TEXT_TABLE = `USING fts5(
  text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'`;

/** The words of traces, without the places that they have in texts: see text-documents.ts. */
const WORDS = `CREATE VIRTUAL TABLE trace_words ${TEXT_TABLE}, detail = none);`;

/** Spans by {@link idHash}. */
const IDS = `
  CREATE TABLE id_hashes (
    hash INTEGER NOT NULL, span_no INTEGER NOT NULL, PRIMARY KEY (hash, span_no)
  ) STRICT, WITHOUT ROWID;`;

const DOCUMENTS = `
  -- Documents of earlier versions: with the places of words, which take three quarters of the room.
  CREATE VIRTUAL TABLE trace_texts ${TEXT_TABLE});
  CREATE TABLE documents (
    document INTEGER PRIMARY KEY AUTOINCREMENT, trace_no INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX documents_by_trace ON documents (trace_no);
  -- Traces of which a span was replaced since they were indexed, and how often that was noted.
  CREATE TABLE stale_traces (trace_no INTEGER PRIMARY KEY, changes INTEGER NOT NULL) STRICT;
`;

const SCHEMA = `
  ${IDS}
  ${WORDS}
  ${DOCUMENTS}
  -- The words of spans, as the first versions have indexed them: one document each, with all that a span says.
  CREATE VIRTUAL TABLE spans_text ${TEXT_TABLE});
  -- Spans by their id, as earlier versions have indexed them.
  CREATE TABLE span_ids (
    span_id TEXT NOT NULL, span_no INTEGER NOT NULL, PRIMARY KEY (span_id, span_no)
  ) STRICT, WITHOUT ROWID;
  -- The last span whose id, and the last whose text, is in here; and the last number in \`logged_spans\`.
  CREATE TABLE progress (
    ids INTEGER NOT NULL, texts INTEGER NOT NULL, contents INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  INSERT INTO progress VALUES (0, 0, 0);
  PRAGMA user_version = ${VERSION};
`;

/**
 * From the versions before, by their number: the first knew nothing of logged content, the second had documents of
 * spans, the third places of words and ids as texts. What they have indexed stays, and is searched with the rest:
 * indexing all texts anew would take hours.
 */
const UPGRADES: Readonly<Record<number, string>> = {
  1: `ALTER TABLE progress ADD COLUMN contents INTEGER NOT NULL DEFAULT 0; ${DOCUMENTS} ${WORDS} ${IDS}`,
  2: `${DOCUMENTS} ${WORDS} ${IDS}`,
  3: `${WORDS} ${IDS}`,
};

/** All tables of words. */
export const WORD_TABLES = ["trace_words", "trace_texts", "spans_text"] as const;

/** The numbers of the last spans whose ids, whose texts, and whose logged content are indexed. */
export interface IndexProgress {
  readonly ids: number;
  readonly texts: number;
  readonly contents: number;
  /** Whether traces are left to be indexed again. */
  readonly isStale: boolean;
}

/**
 * Ensures an index that fits the spans: a missing, damaged or older one is recreated, and filled later.
 *
 * @returns Whether spans are waiting to be indexed, or to be dropped from the index.
 */
export function prepareIndex(directory: string): { readonly isBehind: boolean } {
  const files = filesIn(directory);
  using spans = new DatabaseSync(files.spans, { readOnly: true });
  const sequence = spans.prepare("SELECT seq FROM sqlite_sequence WHERE name = ?");
  const lastOf = (table: string) => (sequence.get(table) as { seq: number } | undefined)?.seq ?? 0;
  const [lastSpan, lastLogged] = [lastOf("spans"), lastOf("logged_spans")];
  let progress = usableProgress(files.index);
  // An index ahead of the spans contains deleted ones: the spans were restored from a backup.
  const isUsable =
    progress !== undefined &&
    Math.max(progress.ids, progress.texts) <= lastSpan &&
    progress.contents <= lastLogged;
  if (progress === undefined || !isUsable) {
    remakeIndex(files.index);
    progress = { ids: 0, texts: 0, contents: 0, isStale: false };
  }
  const deletions = spans.prepare("SELECT 1 FROM deleted_spans LIMIT 1").get();
  const isBehind =
    Math.min(progress.ids, progress.texts) < lastSpan ||
    progress.contents < lastLogged ||
    progress.isStale ||
    deletions !== undefined;
  return { isBehind };
}

/** Opens the index for writing. */
export function openIndex(file: string): DatabaseSync {
  makePrivateFile(file);
  const index = new DatabaseSync(file);
  // Not FULL: what the index loses in a power failure is indexed again.
  letShrink(index);
  index.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON");
  return index;
}

export function progressOf(index: DatabaseSync): IndexProgress {
  const row = index
    .prepare(
      "SELECT ids, texts, contents, EXISTS (SELECT 1 FROM stale_traces) AS stale FROM progress",
    )
    .get() as { ids: number; texts: number; contents: number; stale: 0 | 1 };
  const { stale, ...numbers } = row;
  return { ...numbers, isStale: stale === 1 };
}

/** How far an index has come; undefined when it cannot be used. */
function usableProgress(file: string): IndexProgress | undefined {
  try {
    using index = openIndex(file);
    const { user_version } = index.prepare("PRAGMA user_version").get() as {
      user_version: number;
    };
    const upgrade = UPGRADES[user_version];
    if (upgrade !== undefined) {
      index.exec(`BEGIN; ${upgrade} PRAGMA user_version = ${VERSION}; COMMIT`);
    } else if (user_version !== VERSION) return undefined;
    // Damage shows when something is looked up.
    for (const table of WORD_TABLES) {
      index.prepare(`SELECT rowid FROM ${table} WHERE ${table} MATCH 'a' LIMIT 1`).get();
    }
    index.prepare("SELECT document FROM documents ORDER BY trace_no DESC LIMIT 1").get();
    index.prepare("SELECT span_no FROM span_ids ORDER BY span_id DESC LIMIT 1").get();
    index.prepare("SELECT span_no FROM id_hashes ORDER BY hash DESC LIMIT 1").get();
    return progressOf(index);
  } catch (error) {
    // Not an SQLite error (missing permissions, say): recreating the file would not help.
    if (sqliteCode(error) === undefined) throw error;
    return undefined;
  }
}

/** The index is rebuilt at the next start. */
export function removeIndex(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
}

function remakeIndex(file: string): void {
  removeIndex(file);
  using index = openIndex(file);
  index.exec(`BEGIN; ${SCHEMA} COMMIT`);
}
