import { mkdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { BuildStore } from "../builds/build-store.ts";
import { namesIn } from "../builds/folder-contents.ts";

/** Builds that are kept for the next time, beside those in use. */
export const MOST_FETCHED = 5;
/** How often a process looks whether another has removed what it wanted to. */
const WAIT_MS = 20;

/** A build that a process uses until it ends: `users/4242 ID`. */
const USE = /^(\d+) (.+)$/;
/** A process that is removing builds: `users/4242`. */
const REMOVAL = /^(\d+)$/;

/**
 * The folder of fetched builds, which several processes may use at once. Each first says which build it is
 * going to use, then looks whether another removes any. One that removes builds says so first, and then
 * looks whether another uses any. Whichever is second sees the first.
 */
export class FetchedFolder {
  readonly #users: string;
  readonly #store: Pick<BuildStore, "folderOf" | "sweep">;
  readonly #builds: string;
  readonly #pid: number;

  constructor(folder: string, store: Pick<BuildStore, "folderOf" | "sweep">, pid = process.pid) {
    this.#users = join(folder, "users");
    this.#builds = join(folder, "builds");
    this.#store = store;
    this.#pid = pid;
  }

  /** Keeps a build until this process ends. To be called before anything of it is looked at. */
  async use(id: string): Promise<void> {
    await mkdir(this.#users, { recursive: true });
    await writeFile(join(this.#users, `${this.#pid} ${id}`), "");
    while ((await this.#others(REMOVAL)).length > 0) await delay(WAIT_MS);
  }

  /** Removes the builds that were not used for the longest time, unless another process uses any. */
  async prune(used: string, at: Date): Promise<void> {
    await utimes(this.#store.folderOf(used), at, at);
    const removal = join(this.#users, String(this.#pid));
    await writeFile(removal, "");
    try {
      if ((await this.#others(USE)).length > 0) return;
      await this.#store.sweep(
        async () => new Set([...(await this.#own()), ...(await this.#last())]),
      );
    } finally {
      await rm(removal, { force: true });
    }
  }

  /** Marks of other processes. Those of processes that have ended are removed. */
  async #others(kind: RegExp): Promise<readonly string[]> {
    const found: string[] = [];
    for (const name of await namesIn(this.#users)) {
      const pid = Number(kind.exec(name)?.[1] ?? Number.NaN);
      if (Number.isNaN(pid) || pid === this.#pid) continue;
      if (isAlive(pid)) found.push(name);
      else await rm(join(this.#users, name), { force: true });
    }
    return found;
  }

  async #own(): Promise<readonly string[]> {
    const uses = (await namesIn(this.#users)).map((name) => USE.exec(name));
    return uses.flatMap((use) => (Number(use?.[1]) === this.#pid ? (use?.[2] ?? []) : []));
  }

  async #last(): Promise<readonly string[]> {
    // Those with a point are what a crash left behind.
    const names = (await namesIn(this.#builds)).filter((name) => !name.startsWith("."));
    const builds = await Promise.all(
      names.map(async (name) => {
        const { mtimeMs } = await stat(join(this.#builds, name));
        return { name, mtimeMs };
      }),
    );
    const newest = builds.toSorted((one, other) => other.mtimeMs - one.mtimeMs);
    return newest.slice(0, MOST_FETCHED).map(({ name }) => name);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Another user's process.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
