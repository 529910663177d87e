import { chmod, mkdir, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { BuildUsers, closedFolder, type UserRange } from "../processes/build-users.ts";
import { PRELOAD_FILES } from "../processes/spawn-build.ts";

export interface OpenBuildUsersOptions {
  /** Null runs all builds as the platform's own user. */
  readonly range: UserRange | null;
  readonly dataDirectory: string;
  /** Told why builds run as the platform's own user although it could be otherwise. */
  readonly onClosed: (folder: string) => void;
}

/**
 * The users that builds run under, where the platform is root; null where builds run as its own user.
 * Builds must reach their files: the folders of the data directory that lead to them can be entered
 * by all users from here on, and listed by none; everything else in it is the platform's alone.
 */
export async function openBuildUsers(options: OpenBuildUsersOptions): Promise<BuildUsers | null> {
  const { range, dataDirectory, onClosed } = options;
  if (range === null || process.getuid?.() !== 0) return null;
  const inside = ["builds", "modules"].map((name) => join(dataDirectory, name));
  for (const folder of inside) await mkdir(folder, { recursive: true });
  for (const path of [dataDirectory, process.execPath, ...PRELOAD_FILES]) {
    const closed = await closedFolder(await realpath(path));
    if (closed !== undefined) {
      onClosed(closed);
      return null;
    }
  }
  await mkdir(join(dataDirectory, "logs"), { recursive: true });
  for (const entry of await readdir(dataDirectory, { withFileTypes: true })) {
    const path = join(dataDirectory, entry.name);
    if (!inside.includes(path)) await chmod(path, entry.isDirectory() ? 0o700 : 0o600);
  }
  for (const folder of [dataDirectory, ...inside]) await chmod(folder, 0o711);
  return new BuildUsers(range);
}
