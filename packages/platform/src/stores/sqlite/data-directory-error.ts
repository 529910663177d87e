import { StoreRefusalError } from "../store-refusal-error.ts";

/** The folder could not be opened. */
export class DataDirectoryError extends StoreRefusalError {
  override readonly name = "DataDirectoryError";
}

/** Another process has the folder. */
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

/** Why the file system, or SQLite, refused something: for the middle of a sentence. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return FILE_SYSTEM_REASONS[code ?? ""] ?? message;
}
