import {
  accessSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { SQLOutputValue } from "node:sqlite";
import { DatabaseSync } from "node:sqlite";
import { APPLICATION_ID, MIGRATIONS, migrate, SCHEMA_VERSION } from "./span-schema.ts";
import { isBusy, isCorrupt, isReadOnly } from "./sqlite-errors.ts";

/** The folder could not be opened; the message is one sentence for the person who started us. */
export class DataDirectoryError extends Error {
  override readonly name = "DataDirectoryError";
}

/** The files in a data directory. */
export function filesIn(directory: string) {
  return {
    spans: join(directory, "spans.db"),
    /** Derived from the spans: may be deleted at any time, and is made anew. */
    index: join(directory, "index.db"),
    lock: join(directory, "agate.lock"),
    pid: join(directory, "agate.pid"),
  };
}

/** Holds a data directory for this process until it is released. */
export interface DataDirectory {
  readonly path: string;
  release(): void;
}

/**
 * Takes the folder for this process alone and brings its database up to date. Whatever is wrong
 * with it is found before anything is written.
 *
 * @throws DataDirectoryError
 */
export function openDataDirectory(
  path: string,
  migrations: readonly string[] = MIGRATIONS,
): DataDirectory {
  const files = filesIn(path);
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new DataDirectoryError(`Cannot create the data directory ${path}: ${reasonOf(error)}.`);
  }
  const lock = takeLock(path);
  try {
    for (const file of [files.spans, files.index]) refuseUnwritableFile(file);
    const kind = refuseForeignFile(files.spans);
    if (kind === "database") refuseDamagedDatabase(files.spans);
    prepareDatabase(files.spans, migrations);
    writeFileSync(files.pid, `${process.pid}\n`);
  } catch (error) {
    lock.close();
    throw error;
  }
  return {
    path,
    release() {
      rmSync(files.pid, { force: true });
      lock.close();
    },
  };
}

/**
 * An exclusive transaction on a file of its own that is never ended. The operating system drops it
 * with the process, so that kill -9 leaves no stale lock behind.
 */
function takeLock(path: string): DatabaseSync {
  const files = filesIn(path);
  let lock: DatabaseSync;
  try {
    lock = new DatabaseSync(files.lock);
  } catch {
    throw new DataDirectoryError(
      `Cannot write to the data directory ${path}: ${writeObstacle(files.lock)}. Choose another with --data-dir.`,
    );
  }
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock.close();
    if (isBusy(error)) {
      throw new DataDirectoryError(
        `The data directory ${path} is in use by another Agate server${runningPid(files.pid)}. Stop that one, or choose another with --data-dir.`,
      );
    }
    throw new DataDirectoryError(
      `Cannot write to the data directory ${path}: ${reasonOf(error)}. Choose another with --data-dir.`,
    );
  }
}

/** SQLite would open such a file for reading alone, and fail at the first write. */
function refuseUnwritableFile(file: string): void {
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

/** Looks at the file's first bytes only: opening it could already change it. */
function refuseForeignFile(file: string): "nothing" | "database" {
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
  // A server that was killed while it made the file leaves it empty.
  if (length === 0) return "nothing";
  if (length < 100 || header.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw new DataDirectoryError(
      `${file} is not a database, or is damaged. It was left as it is: restore it from a backup, or choose another folder with --data-dir.`,
    );
  }
  const application = header.readUInt32BE(68);
  const version = header.readUInt32BE(60);
  // Without a mark it may be ours, killed while it was made: that shows when it is opened.
  if (application !== 0 || version !== 0) refuseForeignMark(file, application, version);
  return "database";
}

function refuseForeignMark(file: string, application: number, version: number): void {
  if (application !== APPLICATION_ID) {
    throw new DataDirectoryError(
      `${file} is a database of another program. It was left as it is: choose another folder with --data-dir.`,
    );
  }
  if (version > SCHEMA_VERSION) {
    throw new DataDirectoryError(
      `${file} was written by a newer version of Agate (schema ${version}; this one knows ${SCHEMA_VERSION}). It was left as it is: upgrade Agate, or choose another folder with --data-dir.`,
    );
  }
}

/**
 * Reads what a foreign or a damaged database shows itself by, the write-ahead log included, over a
 * connection that may not write: any other moves the log into the file when it is closed.
 */
function refuseDamagedDatabase(file: string): void {
  try {
    using db = new DatabaseSync(file, { readOnly: true });
    const application = numberFrom(db, "PRAGMA application_id");
    const tables = numberFrom(db, "SELECT count(*) FROM sqlite_schema");
    if (application === 0 && tables === 0) return;
    refuseForeignMark(file, application, numberFrom(db, "PRAGMA user_version"));
    if (numberFrom(db, "PRAGMA page_count") <= PAGES_CHECKED_AT_START) {
      const found = valueFrom(db, "PRAGMA quick_check(1)");
      if (found !== "ok") throw damaged(file, String(found).replaceAll(/\s+/g, " "));
      return;
    }
    // The ends of the tables lie at the end of the file: a truncated one shows here, not later.
    for (const table of ["traces", "segments", "spans"]) {
      db.prepare(`SELECT * FROM ${table} ORDER BY rowid DESC LIMIT 1`).get();
    }
  } catch (error) {
    // Killed while it was made, with a journal to roll back: preparing it does that.
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

function prepareDatabase(file: string, migrations: readonly string[]): void {
  try {
    using db = new DatabaseSync(file);
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    migrate(db, migrations);
  } catch (error) {
    throw asRefusal(file, error);
  }
}

function asRefusal(file: string, error: unknown): DataDirectoryError {
  if (error instanceof DataDirectoryError) return error;
  return isCorrupt(error)
    ? damaged(file, reasonOf(error))
    : new DataDirectoryError(`Cannot open ${file}: ${reasonOf(error)}.`);
}

function damaged(file: string, reason: string): DataDirectoryError {
  return new DataDirectoryError(
    `${file} is damaged (${reason}). Nothing was changed: restore it from a backup, or choose another folder with --data-dir.`,
  );
}

const FILE_SYSTEM_REASONS: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOTDIR: "a part of the path is not a folder",
  EEXIST: "there is a file of that name",
  EISDIR: "it is a folder",
  ENOSPC: "the disk is full",
};

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return FILE_SYSTEM_REASONS[code ?? ""] ?? message;
}

/** SQLite only says "unable to open database file"; the file system knows why. */
function writeObstacle(file: string): string {
  try {
    closeSync(openSync(file, "a"));
    return "the lock file cannot be opened";
  } catch (error) {
    return reasonOf(error);
  }
}

function runningPid(file: string): string {
  try {
    return ` (process ${readFileSync(file, "utf8").trim()})`;
  } catch {
    // Only a hint: the other server may just be writing it.
    return "";
  }
}
