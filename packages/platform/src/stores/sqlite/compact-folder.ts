import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreRefusalError } from "../store-errors.ts";
import { filesIn, holdDataDirectory, makePrivateFile, UNFINISHED_COPY } from "./data-directory.ts";
import { canShrink, fileUse, letShrink } from "./free-pages.ts";
import { DataDirectoryInUseError, transientReason } from "./sqlite-errors.ts";

export interface CompactedFile {
  readonly file: string;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** What stays free on the disk beside the copy. */
const SPARE_BYTES = 64 * 1024 * 1024;

/**
 * Writes the spans' databases of a folder anew, without free pages, and so that their files shrink by themselves
 * from then on. Each copy takes the place of its file when it is whole and on disk.
 *
 * @throws StoreRefusalError with one sentence; the files are as they were, or one of them is compacted.
 */
export function compactFolder(directory: string): CompactedFile[] {
  const { spans, index } = filesIn(directory);
  const held = hold(directory);
  try {
    return [spans, index].filter((file) => existsSync(file)).map(compactFile);
  } finally {
    held.release();
  }
}

function hold(directory: string) {
  try {
    return holdDataDirectory(directory);
  } catch (error) {
    if (!(error instanceof DataDirectoryInUseError)) throw error;
    throw new StoreRefusalError(
      `A server is using the data directory ${directory}. Stop it first: its files are written anew.`,
    );
  }
}

function compactFile(file: string): CompactedFile {
  const copy = file + UNFINISHED_COPY;
  // What a killed run has left.
  rmSync(copy, { force: true });
  try {
    const bytesBefore = writeCopy(file, copy);
    const bytesAfter = checkedBytes(file, copy);
    sync(copy);
    // The log is empty: beside the new file it would be taken for that of the new file.
    for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true });
    renameSync(copy, file);
    sync(dirname(file));
    return { file, bytesBefore, bytesAfter };
  } catch (error) {
    rmSync(copy, { force: true });
    const reason = transientReason(error);
    if (reason === undefined) throw error;
    throw new StoreRefusalError(`${file} could not be compacted: ${reason}`);
  }
}

/** @returns How long the file was. */
function writeCopy(file: string, copy: string): number {
  using db = new DatabaseSync(file);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const { freeBytes, usedBytes } = fileUse(db);
  refuseFullDisk(file, usedBytes);
  makePrivateFile(copy);
  letShrink(db);
  db.prepare("VACUUM INTO ?").run(copy);
  return freeBytes + usedBytes;
}

function refuseFullDisk(file: string, needed: number): void {
  const { bavail, bsize } = statfsSync(dirname(file));
  if (bavail * bsize >= needed + SPARE_BYTES) return;
  const megabytes = Math.ceil((needed + SPARE_BYTES) / 1024 ** 2);
  throw new StoreRefusalError(
    `The disk needs ${megabytes} MB of free space to compact ${file}: a copy of what it holds is written there first.`,
  );
}

/** @returns How long the copy is. */
function checkedBytes(file: string, copy: string): number {
  using db = new DatabaseSync(copy, { readOnly: true });
  const [problem] = Object.values(db.prepare("PRAGMA quick_check(1)").get() ?? {});
  if (problem !== "ok" || !canShrink(db)) {
    throw new Error(`The compacted copy of ${file} is not sound: ${problem}`);
  }
  const { freeBytes, usedBytes } = fileUse(db);
  return freeBytes + usedBytes;
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
