import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { APPLICATION_ID, MIGRATIONS, migrate, SCHEMA_VERSION } from "./span-schema.ts";
import { isBusy, isCorrupt } from "./sqlite-errors.ts";

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
    refuseForeignFile(files.spans);
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

/** Looks at the file's first bytes only: opening it could already change it. */
function refuseForeignFile(file: string): void {
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
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw new DataDirectoryError(`Cannot read ${file}: ${reasonOf(error)}.`);
  }
  // A server that was killed while it made the file leaves it empty.
  if (length === 0) return;
  if (length < 100 || header.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw new DataDirectoryError(
      `${file} is not a database, or is damaged. It was left as it is: restore it from a backup, or choose another folder with --data-dir.`,
    );
  }
  const version = header.readUInt32BE(60);
  const application = header.readUInt32BE(68);
  if (application !== APPLICATION_ID && !(application === 0 && version === 0)) {
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

function prepareDatabase(file: string, migrations: readonly string[]): void {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file);
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    migrate(db, migrations);
    // The ends of the tables lie at the end of the file: a truncated one shows here, not later.
    for (const table of ["traces", "segments", "spans"]) {
      db.prepare(`SELECT * FROM ${table} ORDER BY rowid DESC LIMIT 1`).get();
    }
  } catch (error) {
    if (isCorrupt(error)) {
      throw new DataDirectoryError(
        `${file} is damaged (${reasonOf(error)}). Nothing was changed: restore it from a backup, or choose another folder with --data-dir.`,
      );
    }
    throw new DataDirectoryError(`Cannot open ${file}: ${reasonOf(error)}.`);
  } finally {
    db?.close();
  }
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
