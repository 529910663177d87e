import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import type { SQLOutputValue } from "node:sqlite";
import { DatabaseSync } from "node:sqlite";
import { DataDirectoryError, isCorrupt, isReadOnly, reasonOf } from "./sqlite-errors.ts";

/** What a database file of ours looks like. */
export interface ExpectedDatabase {
  /** SQLite's `application_id`, which tells our files from those of other programs. */
  readonly applicationId: number;
  /** The newest `user_version` that this program knows. */
  readonly version: number;
  /** The tables that grow: their ends lie at the end of the file. */
  readonly tables: readonly string[];
}

/**
 * Refuses a file that is not writable, belongs to another program, is damaged or was written by a newer
 * version, before anything is written to it. A missing file, or one left unfinished by a killed server, is
 * accepted.
 *
 * @throws DataDirectoryError
 */
export function checkDatabaseFile(file: string, expected: ExpectedDatabase): void {
  refuseUnwritableFile(file);
  const kind = refuseForeignFile(file, expected);
  if (kind === "database") refuseDamagedDatabase(file, expected);
}

/**
 * SQLite would open such a file read-only, and fail at the first write.
 *
 * @throws DataDirectoryError
 */
export function refuseUnwritableFile(file: string): void {
  try {
    if (!statSync(file).isFile()) {
      throw new DataDirectoryError(`Cannot write to ${file}: it is not a file.`);
    }
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (error instanceof DataDirectoryError) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw new DataDirectoryError(`Cannot write to ${file}: ${reasonOf(error)}.`);
  }
}

/** An error of SQLite about a file, as a refusal to open it. */
export function asRefusal(file: string, error: unknown): DataDirectoryError {
  if (error instanceof DataDirectoryError) return error;
  return isCorrupt(error)
    ? damaged(file, reasonOf(error))
    : new DataDirectoryError(`Cannot open ${file}: ${reasonOf(error)}.`);
}

/** Looks at the file's first bytes only: opening it could already change it. */
function refuseForeignFile(file: string, expected: ExpectedDatabase): "nothing" | "database" {
  const header = Buffer.alloc(100);
  let length: number;
  try {
    const descriptor = openSync(file, "r");
    try {
      length = readSync(descriptor, header, 0, header.length, 0);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "nothing";
    throw new DataDirectoryError(`Cannot read ${file}: ${reasonOf(error)}.`);
  }
  // A server that is killed while it creates the file leaves it empty.
  if (length === 0) return "nothing";
  if (length < 100 || header.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw new DataDirectoryError(
      `${file} is not a database, or is damaged. It was left as it is: restore it from a backup, or choose another folder with --data-dir.`,
    );
  }
  const application = header.readUInt32BE(68);
  const version = header.readUInt32BE(60);
  // Without an application id it may be an unfinished file of ours: that shows when it is opened.
  if (application !== 0 || version !== 0) refuseForeignMark(file, expected, application, version);
  return "database";
}

function refuseForeignMark(
  file: string,
  expected: ExpectedDatabase,
  application: number,
  version: number,
): void {
  if (application !== expected.applicationId) {
    throw new DataDirectoryError(
      `${file} is a database of another program. It was left as it is: choose another folder with --data-dir.`,
    );
  }
  if (version > expected.version) {
    throw new DataDirectoryError(
      `${file} was written by a newer version of Agate (schema ${version}; this one knows ${expected.version}). It was left as it is: upgrade Agate, or choose another folder with --data-dir.`,
    );
  }
}

/**
 * Detects a foreign or damaged database, the write-ahead log included, over a read-only connection: any
 * other would move the log into the file when it is closed.
 */
function refuseDamagedDatabase(file: string, expected: ExpectedDatabase): void {
  try {
    using db = new DatabaseSync(file, { readOnly: true });
    const application = numberFrom(db, "PRAGMA application_id");
    const tables = numberFrom(db, "SELECT count(*) FROM sqlite_schema");
    if (application === 0 && tables === 0) return;
    refuseForeignMark(file, expected, application, numberFrom(db, "PRAGMA user_version"));
    if (numberFrom(db, "PRAGMA page_count") <= PAGES_CHECKED_AT_START) {
      const found = valueFrom(db, "PRAGMA quick_check(1)");
      if (found !== "ok") throw damaged(file, String(found).replaceAll(/\s+/g, " "));
      return;
    }
    // Detects a truncated file.
    for (const table of expected.tables) {
      db.prepare(`SELECT * FROM ${table} ORDER BY rowid DESC LIMIT 1`).get();
    }
  } catch (error) {
    // An unfinished file with a journal to roll back: preparing the database does that.
    if (isReadOnly(error)) return;
    throw asRefusal(file, error);
  }
}

/** Up to 32 MB every page is looked at, which takes some 30 ms; in a larger file only some are. */
const PAGES_CHECKED_AT_START = 8192;

function numberFrom(db: DatabaseSync, sql: string): number {
  return Number(valueFrom(db, sql));
}

function valueFrom(db: DatabaseSync, sql: string): SQLOutputValue {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return (statement.get() as unknown as [SQLOutputValue])[0];
}

function damaged(file: string, reason: string): DataDirectoryError {
  return new DataDirectoryError(
    `${file} is damaged (${reason}). Nothing was changed: restore it from a backup, or choose another folder with --data-dir.`,
  );
}
