import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { filesIn, makePrivateFile } from "./data-directory.ts";
import { sqliteCode } from "./sqlite-errors.ts";

const VERSION = 2;
const SCHEMA = `
  CREATE VIRTUAL TABLE spans_text USING fts5(
    text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
  );
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

/** From the version before, which knew nothing of logged content: indexing all texts anew would take hours. */
const UPGRADE = `
  ALTER TABLE progress ADD COLUMN contents INTEGER NOT NULL DEFAULT 0;
  PRAGMA user_version = ${VERSION};
`;

/** The numbers of the last spans whose ids, whose texts, and whose logged content are indexed. */
export interface IndexProgress {
  readonly ids: number;
  readonly texts: number;
  readonly contents: number;
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
    progress = { ids: 0, texts: 0, contents: 0 };
  }
  const deletions = spans.prepare("SELECT 1 FROM deleted_spans LIMIT 1").get();
  const isBehind =
    Math.min(progress.ids, progress.texts) < lastSpan ||
    progress.contents < lastLogged ||
    deletions !== undefined;
  return { isBehind };
}

/** Opens the index for writing. */
export function openIndex(file: string): DatabaseSync {
  makePrivateFile(file);
  const index = new DatabaseSync(file);
  // Not FULL: what the index loses in a power failure is indexed again.
  index.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON");
  return index;
}

export function progressOf(index: DatabaseSync): IndexProgress {
  return index
    .prepare("SELECT ids, texts, contents FROM progress")
    .get() as unknown as IndexProgress;
}

/** How far an index has come; undefined when it cannot be used. */
function usableProgress(file: string): IndexProgress | undefined {
  try {
    using index = openIndex(file);
    const { user_version } = index.prepare("PRAGMA user_version").get() as {
      user_version: number;
    };
    if (user_version === VERSION - 1) index.exec(`BEGIN; ${UPGRADE} COMMIT`);
    else if (user_version !== VERSION) return undefined;
    // Damage shows when something is looked up.
    index.prepare("SELECT rowid FROM spans_text WHERE spans_text MATCH 'a' LIMIT 1").get();
    index.prepare("SELECT span_no FROM span_ids ORDER BY span_id DESC LIMIT 1").get();
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
