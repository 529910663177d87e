import { chmodSync, closeSync, fchmodSync, openSync } from "node:fs";

const OWNER_ONLY = { folder: 0o700, file: 0o600 } as const;

/**
 * Has a database file that only its owner may read, and makes it where there is none: SQLite gives
 * its `-wal` and `-shm` the mode of the file, and a new file the one that the umask says.
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
    // SQLite opens it next, and what it says is what the operator is told.
    if (!isRefusal(error)) throw error;
  }
  for (const suffix of ["-wal", "-shm", "-journal"]) restrict(file + suffix, OWNER_ONLY.file);
}

/** Closes a folder to others. One that another user owns, such as a mounted volume, stays as it is. */
export function makePrivateFolder(folder: string): void {
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
