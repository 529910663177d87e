import { chmod, mkdir, readdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** User ids that builds may run under, both ends included. */
export interface UserRange {
  readonly first: number;
  readonly last: number;
}

/** Ids that neither distributions nor systemd give out (systemd's UIDS-GIDS: "60578…61183 unused"). */
export const DEFAULT_USER_RANGE: UserRange = { first: 60_578, last: 61_183 };

/** What a process runs as. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The users that builds run under: another one for each environment, so that neither the server's files
 * and processes nor those of other applications and environments are open to them. A build's files are
 * read by every environment that it is live in: they belong to the group of the application.
 */
export class BuildUsers {
  readonly #range: UserRange;
  readonly #ids = new Map<string, number>();

  constructor(range: UserRange) {
    this.#range = range;
  }

  /**
   * For what an application's environments share: the installation of packages.
   *
   * @throws Error where every id of the range is taken.
   */
  ofApplication(applicationId: string): ProcessUser {
    const id = this.#idOf(applicationId);
    return { uid: id, gid: id };
  }

  /** @throws Error where every id of the range is taken. */
  ofEnvironment(applicationId: string, environmentId: string): ProcessUser {
    return { gid: this.#idOf(applicationId), uid: this.#idOf(environmentId) };
  }

  /** @param key Ids of applications and of environments differ. */
  #idOf(key: string): number {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const { first, last } = this.#range;
    const id = first + this.#ids.size;
    if (id > last) {
      const count = last - first + 1;
      throw new Error(`all ${count} users of --build-users are in use: give it a larger range`);
    }
    this.#ids.set(key, id);
    return id;
  }
}

interface OpenBuildUsersOptions {
  /** Null: all builds run as the platform's own user. */
  readonly range: UserRange | null;
  readonly dataDirectory: string;
  /** Files outside the data directory that every build reads before its own program. */
  readonly preloads: readonly string[];
  /** Called with a folder that other users cannot enter, which is why builds run as the platform's own user. */
  readonly onClosed: (folder: string) => void;
}

/**
 * The users that builds run as when the platform is root; null if builds run as its own user. Builds
 * must reach their files: this lets all users enter, but not list, the folders of the data directory
 * that lead to them; everything else in it becomes the platform's alone.
 */
export async function openBuildUsers(options: OpenBuildUsersOptions): Promise<BuildUsers | null> {
  const { range, dataDirectory, preloads, onClosed } = options;
  if (range === null || process.getuid?.() !== 0) return null;
  const inside = ["builds", "modules"].map((name) => join(dataDirectory, name));
  for (const folder of inside) await mkdir(folder, { recursive: true });
  for (const path of [dataDirectory, process.execPath, ...preloads]) {
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

/** The first folder on the way to a file that other users cannot enter; undefined where there is none. */
async function closedFolder(path: string): Promise<string | undefined> {
  let closed: string | undefined;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode } = await stat(folder);
    if ((mode & 0o001) === 0) closed = folder;
    if (folder === dirname(folder)) return closed;
  }
}
