import { open } from "node:fs/promises";

/** Has the names in a folder on disk: a file that is there after a power cut can also be found. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, "r");
  await handle.sync();
}
