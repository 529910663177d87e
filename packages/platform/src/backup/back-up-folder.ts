import { existsSync } from "node:fs";
import { filesIn, holdDataDirectory } from "../stores/sqlite/data-directory.ts";
import { DataDirectoryInUseError } from "../stores/sqlite/sqlite-errors.ts";
import { StoreRefusalError } from "../stores/store-errors.ts";
import type { SavedBackup } from "./save-backup.ts";
import { saveBackup } from "./save-backup.ts";
import { sweepBackups, takeBackup } from "./take-backup.ts";

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
