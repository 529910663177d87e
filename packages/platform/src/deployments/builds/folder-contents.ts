import { hash } from "node:crypto";
import { open, readdir, readFile, readlink, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** The names in a folder; none where it is not there. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return [];
  });
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      return false;
    },
  );
}

/** Has the names in a folder on disk: a file that is there after a power cut can also be found. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, "r");
  await handle.sync();
}

/**
 * The first symbolic link below a folder that leads out of it, or nowhere, relative to the folder. A
 * lockfile can make npm link any folder of the machine into `node_modules`, and Node's permission
 * model follows links.
 */
export async function findEscapingLink(folder: string): Promise<string | undefined> {
  const root = await realpath(folder);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isSymbolicLink()) continue;
    const link = join(entry.parentPath, entry.name);
    const target = await realpath(link).catch(() => undefined);
    if (target === undefined || !target.startsWith(root + sep)) return relative(root, link);
  }
  return undefined;
}

/** A file, or a symbolic link, and what it had in it when it was recorded. */
export interface RecordedFile {
  /** Relative, with `/`. */
  readonly path: string;
  /** Of a file's bytes; of a link, of where it leads. In lower-case hex. */
  readonly sha256: string;
  readonly isLink?: boolean;
}

/** Files that are read at the same time: more would only wait for the disk, and hold memory. */
const AT_A_TIME = 16;

/** The files and links below a folder, by path. */
export async function recordFiles(folder: string): Promise<readonly RecordedFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files: RecordedFile[] = [];
  await eachOf(entries, async (entry) => {
    if (entry.isDirectory()) return;
    const path = relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/");
    const isLink = entry.isSymbolicLink();
    const sha256 = await hashOf(join(folder, path), isLink);
    files.push({ path, sha256, ...(isLink && { isLink }) });
  });
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** A file that is missing or has other bytes than recorded; undefined where there is none. */
export async function findDamage(
  folder: string,
  files: readonly RecordedFile[],
): Promise<string | undefined> {
  let damaged: string | undefined;
  await eachOf(files, async ({ path, sha256, isLink = false }) => {
    if (damaged !== undefined) return;
    const found = await hashOf(join(folder, path), isLink).catch((error: NodeJS.ErrnoException) => {
      if (!UNREADABLE.has(error.code ?? "")) throw error;
      return undefined;
    });
    if (found !== sha256) damaged ??= path;
  });
  return damaged;
}

/** It is gone, something else is in its place, or the disk cannot read it. */
const UNREADABLE = new Set(["ENOENT", "ENOTDIR", "EISDIR", "EINVAL", "ELOOP", "EIO"]);

async function hashOf(path: string, isLink: boolean): Promise<string> {
  return hash("sha256", isLink ? await readlink(path) : await readFile(path));
}

async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const rest = items.values();
  const workers = Array.from({ length: AT_A_TIME }, async () => {
    for (const item of rest) await work(item);
  });
  await Promise.all(workers);
}
