import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { asRefusal, checkDatabaseFile, refuseUnwritableFile } from "./check-database-file.ts";
import { letShrink, makeSmallFileShrink } from "./free-pages.ts";
import { APPLICATION_ID, MIGRATIONS, migrate, SCHEMA_VERSION } from "./span-schema.ts";
import { DataDirectoryError, DataDirectoryInUseError, isBusy, reasonOf } from "./sqlite-errors.ts";

/** The files in a data directory. */
export function filesIn(directory: string) {
  return {
    spans: join(directory, "spans.db"),
    /** Derived from the spans: may be deleted at any time, and is rebuilt. */
    index: join(directory, "index.db"),
    /** Applications and their configurations: see stores/registry. */
    registry: join(directory, "registry.db"),
    lock: join(directory, "agate.lock"),
    pid: join(directory, "agate.pid"),
  };
}

/** What the copy of a database is called until `agate check --compact` has written all of it. */
export const UNFINISHED_COPY = ".compact";

/** Marks a data directory while a restore replaces its files. */
export const RESTORE_MARK = "restore.unfinished";

/** Holds a data directory for this process until it is released. */
export interface DataDirectory {
  readonly path: string;
  release(): void;
}

/**
 * Locks the folder for this process, and creates it if it does not exist.
 *
 * @param prepare Called once the folder is locked, before anything is written into it.
 * @throws DataDirectoryError
 */
export function holdDataDirectory(
  path: string,
  prepare: () => void = () => refuseUnfinishedRestore(path),
): DataDirectory {
  const files = filesIn(path);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DataDirectoryError(`Cannot create the data directory ${path}: ${reasonOf(error)}.`);
  }
  makePrivateFolder(path);
  makePrivateFolder(join(path, "logs"));
  makePrivateFile(files.lock);
  const lock = takeLock(path);
  try {
    prepare();
    writePid(path);
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
 * The same for a folder that holds spans: its database is checked before anything is written, and migrated.
 *
 * @throws DataDirectoryError
 */
export function openDataDirectory(
  path: string,
  migrations: readonly string[] = MIGRATIONS,
): DataDirectory {
  const files = filesIn(path);
  return holdDataDirectory(path, () => {
    refuseUnfinishedRestore(path);
    refuseUnwritableFile(files.index);
    for (const file of [files.spans, files.index]) rmSync(file + UNFINISHED_COPY, { force: true });
    checkDatabaseFile(files.spans, SPANS);
    prepareDatabase(files.spans, migrations);
  });
}

const SPANS = {
  applicationId: APPLICATION_ID,
  version: SCHEMA_VERSION,
  tables: ["traces", "segments", "spans"],
};

/**
 * An exclusive transaction on a separate file, which is never ended. The operating system releases it with
 * the process, so that kill -9 leaves no stale lock.
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
      throw new DataDirectoryInUseError(
        `The data directory ${path} is in use by another Agate server${runningPid(files.pid)}. Stop that one, or choose another with --data-dir.`,
      );
    }
    throw new DataDirectoryError(
      `Cannot write to the data directory ${path}: ${reasonOf(error)}. Choose another with --data-dir.`,
    );
  }
}

/** A restore that was killed while it replaced files leaves old and new ones. */
function refuseUnfinishedRestore(path: string): void {
  if (!existsSync(join(path, RESTORE_MARK))) return;
  throw new DataDirectoryError(
    `A restore into the data directory ${path} was interrupted. Run \`agate restore\` again, with --replace.`,
  );
}

function writePid(path: string): void {
  try {
    writeFileSync(filesIn(path).pid, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    throw new DataDirectoryError(
      `Cannot write to the data directory ${path}: ${reasonOf(error)}. Choose another with --data-dir.`,
    );
  }
}

function prepareDatabase(file: string, migrations: readonly string[]): void {
  try {
    makePrivateFile(file);
    using db = new DatabaseSync(file);
    letShrink(db);
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    migrate(db, migrations);
    makeSmallFileShrink(db);
  } catch (error) {
    throw asRefusal(file, error);
  }
}

/** SQLite only reports "unable to open database file"; the file system reports why. */
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
    // Only a hint: the other server may be writing the file right now.
    return "";
  }
}

const OWNER_ONLY = { folder: 0o700, file: 0o600 } as const;

/**
 * Makes a database file readable by its owner only, and creates it if it does not exist: SQLite gives
 * `-wal` and `-shm` the mode of the file, and a new file the mode of the umask.
 */
export function makePrivateFile(file: string): void {
  try {
    const descriptor = openSync(file, "a", OWNER_ONLY.file);
    try {
      fchmodSync(descriptor, OWNER_ONLY.file);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    // SQLite opens the file next, and the operator is shown its error.
    if (!isRefusal(error)) throw error;
  }
  for (const suffix of ["-wal", "-shm", "-journal"]) restrict(file + suffix, OWNER_ONLY.file);
}

/**
 * Makes a folder accessible to its owner only. One that another user owns, such as a mounted volume, stays
 * as it is.
 */
function makePrivateFolder(folder: string): void {
  restrict(folder, OWNER_ONLY.folder);
}

function restrict(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}

function isRefusal(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return ["ENOENT", "EPERM", "EACCES", "EROFS", "EISDIR", "ENOTDIR", "ENOSPC"].includes(code);
}

/** A read-only connection to the spans, with the index attached as `derived`. */
export function openForReading(directory: string): DatabaseSync {
  const files = filesIn(directory);
  const db = new DatabaseSync(files.spans, { readOnly: true });
  // With a memory map a trace is copied once: from the page cache into the response.
  db.exec("PRAGMA mmap_size = 2147483648; PRAGMA cache_size = -8192");
  db.prepare("ATTACH DATABASE ? AS derived").run(files.index);
  return db;
}
