import { DamagedSegmentError } from "../segments/segment.ts";
import { StoreRefusalError } from "../store-errors.ts";

const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;

/** SQLite's primary result code of an error thrown by node:sqlite; undefined for other errors. */
export function sqliteCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code & 0xff : undefined;
}

/** Another connection holds a lock on the file. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === SQLITE_BUSY;
}

/** The operation needs to write, and the connection or the file is read-only. */
export function isReadOnly(error: unknown): boolean {
  return sqliteCode(error) === SQLITE_READONLY;
}

/** The file is damaged, or not a database. */
export function isCorrupt(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

/** A trace cannot be read: the file is damaged, or a segment of it. */
export function isDamage(error: unknown): boolean {
  return error instanceof DamagedSegmentError || isCorrupt(error);
}

/** Why the disk cannot take a commit now; undefined for an error that a retry will not fix. */
export function transientReason(error: unknown): string | undefined {
  switch (sqliteCode(error)) {
    case SQLITE_FULL:
      return "The disk is full.";
    case SQLITE_IOERR:
      return "The disk reported an error.";
    case SQLITE_READONLY:
      return "The data directory is read-only.";
    case SQLITE_BUSY:
      return "The database is locked by another program.";
    default:
      return undefined;
  }
}

/** The folder could not be opened. */
export class DataDirectoryError extends StoreRefusalError {
  override readonly name = "DataDirectoryError";
}

/** Another process has locked the folder. */
export class DataDirectoryInUseError extends DataDirectoryError {}

const FILE_SYSTEM_REASONS: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOTDIR: "a part of the path is not a folder",
  EEXIST: "there is a file of that name",
  EISDIR: "it is a folder",
  ENOSPC: "the disk is full",
};

/** The reason of an error of the file system or SQLite, as a part of a sentence. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return FILE_SYSTEM_REASONS[code ?? ""] ?? message;
}
