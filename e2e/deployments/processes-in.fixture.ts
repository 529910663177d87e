import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";

/**
 * The ids of processes that run in a folder below this one, as builds do in theirs; undefined where
 * the system does not tell.
 */
export async function processesIn(folder: string): Promise<readonly number[] | undefined> {
  const names = await readdir("/proc").catch(() => undefined);
  if (names === undefined) return undefined;
  const found: number[] = [];
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    // One that has ended meanwhile has no folder, nor has one whose parent has not waited for it yet.
    const place = await readlink(join("/proc", name, "cwd")).catch(() => "");
    if (place.startsWith(`${folder}/`)) found.push(Number(name));
  }
  return found;
}
