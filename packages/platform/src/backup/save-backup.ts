import { createReadStream, existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { filesIn, holdDataDirectory } from "../stores/sqlite/data-directory.ts";
import { DataDirectoryInUseError } from "../stores/sqlite/sqlite-errors.ts";
import { StoreRefusalError } from "../stores/store-errors.ts";
import type { BackupManifest } from "./read-backup.ts";
import { readBackup } from "./read-backup.ts";
import { sweepBackups, takeBackup } from "./take-backup.ts";

export interface SavedBackup {
  readonly manifest: BackupManifest;
  readonly bytes: number;
}

/**
 * Writes a backup to a file that others may not read. The file has its name only when it is whole, on
 * disk, and compared with its manifest; until then, and after a failure, there is none of that name.
 *
 * @param onProgress Told how many bytes have been written.
 * @throws DamagedBackupError where the archive that came is not whole.
 */
export async function saveBackup(
  archive: AsyncIterable<Uint8Array>,
  path: string,
  onProgress: (bytes: number) => void = () => {},
): Promise<SavedBackup> {
  // One name for all attempts: what a killed one left is written over by the next.
  const partial = `${path}.partial`;
  try {
    const bytes = await writeAll(archive, partial, onProgress);
    const manifest = await readBackup(createReadStream(partial));
    await rename(partial, path);
    await syncFolder(dirname(path));
    return { manifest, bytes };
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function writeAll(
  archive: AsyncIterable<Uint8Array>,
  path: string,
  onProgress: (bytes: number) => void,
): Promise<number> {
  await using file = await open(path, "w", 0o600);
  await file.chmod(0o600);
  let bytes = 0;
  for await (const chunk of archive) {
    await file.writeFile(chunk);
    bytes += chunk.length;
    onProgress(bytes);
  }
  await file.sync();
  return bytes;
}

/** Has the names in a folder on disk. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, "r");
  await handle.sync();
}

/**
 * Backs up a data directory that no server uses.
 *
 * @throws StoreRefusalError with one sentence when that cannot be done.
 */
export async function backUpFolder(
  dataDirectory: string,
  path: string,
  onProgress: (bytes: number) => void,
): Promise<SavedBackup> {
  const files = filesIn(dataDirectory);
  const source = {
    dataDirectory,
    spans: existsSync(files.spans),
    registry: existsSync(files.registry),
  };
  if (!source.spans && !source.registry) {
    throw new StoreRefusalError(
      `There is neither spans.db nor registry.db in ${dataDirectory}. Name the folder that a server had as its --data-dir.`,
    );
  }
  const held = hold(dataDirectory);
  try {
    await sweepBackups(dataDirectory);
    const backup = await takeBackup(source);
    if (backup.kind === "failed") throw new StoreRefusalError(backup.reason);
    await using _ = backup;
    return await saveBackup(backup.archive(), path, onProgress);
  } finally {
    held.release();
  }
}

function hold(dataDirectory: string) {
  try {
    return holdDataDirectory(dataDirectory);
  } catch (error) {
    if (!(error instanceof DataDirectoryInUseError)) throw error;
    throw new StoreRefusalError(
      `A server is using the data directory ${dataDirectory}. Back it up through the server, without --data-dir: it goes on meanwhile.`,
    );
  }
}
