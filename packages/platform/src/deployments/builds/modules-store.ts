import { createHash, hash, randomUUID } from "node:crypto";
import {
  copyFile,
  lchown,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import type { ProcessUser } from "../processes/build-users.ts";
import type { ProcessGroups } from "../processes/process-groups.ts";
import { DiskError } from "./disk-reason.ts";
import {
  exists,
  findDamage,
  findEscapingLink,
  namesIn,
  type RecordedFile,
  recordFiles,
  syncFolder,
} from "./folder-contents.ts";
import { runNpm } from "./run-npm.ts";

export type InstallOutcome =
  /** `detail` is for people: "cached", "12 packages in 3.1 s". */
  | { readonly kind: "installed"; readonly key: string; readonly detail: string }
  | { readonly kind: "failed"; readonly reason: string; readonly log: readonly string[] };

export interface InstallOptions {
  /** Whether packages run their install scripts, which have all rights of the user. */
  readonly runsScripts: boolean;
  /** What npm and the scripts run as; null: the platform's own user. */
  readonly user: ProcessUser | null;
}

export interface ModulesStoreOptions {
  readonly folder: string;
  readonly timeoutMs: number;
  /** Ends what is being installed. */
  readonly signal: AbortSignal;
  readonly groups: ProcessGroups;
  /** Names of the platform's variables that npm inherits beside the usual. */
  readonly passEnv?: readonly string[];
}

const UNFINISHED = ".installing-";
/** In the folder of a set: the SHA-256 of every file that was installed. */
const RECORD_FILE = "agate-modules.json";

/**
 * Installed packages, each set in a folder of its own named after what was asked for, shared by the
 * builds that ask for the same. A folder under its final name is always whole.
 */
export class ModulesStore {
  readonly #options: ModulesStoreOptions;
  readonly #underWay = new Map<string, Promise<InstallOutcome>>();
  /** Sets that were compared with what was installed. */
  readonly #sound = new Set<string>();

  constructor(options: ModulesStoreOptions) {
    this.#options = options;
  }

  /** Where the packages of this name lie. */
  nodeModules(key: string): string {
    return join(this.#options.folder, key, "node_modules");
  }

  /**
   * Installs what the build's lockfile says, unless it is there; those who ask for the same wait for it.
   *
   * @throws DiskError where it was the disk that failed npm.
   */
  async install(buildFolder: string, options: InstallOptions): Promise<InstallOutcome> {
    const key = await modulesKey(buildFolder, options);
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay;
    const install = this.#install(key, buildFolder, options).finally(() =>
      this.#underWay.delete(key),
    );
    this.#underWay.set(key, install);
    return install;
  }

  /** Removes every set that no build has, and what a crash left behind. */
  async sweep(used: ReadonlySet<string>): Promise<void> {
    for (const name of await namesIn(this.#options.folder)) {
      const isUnfinished = name.startsWith(UNFINISHED);
      if (isUnfinished ? this.#underWay.size > 0 : used.has(name) || this.#underWay.has(name)) {
        continue;
      }
      await rm(join(this.#options.folder, name), { recursive: true, force: true });
    }
  }

  /** Has a set compared with what was installed when it is next asked for: a build with it failed. */
  distrust(key: string): void {
    this.#sound.delete(key);
  }

  /** Whether a set is here, and has what was installed; compared once, unless it is distrusted. */
  async #isSound(key: string): Promise<boolean> {
    const folder = join(this.#options.folder, key);
    if (!(await exists(folder))) return false;
    if (this.#sound.has(key)) return true;
    const text = await readFile(join(folder, RECORD_FILE), "utf8").catch(() => undefined);
    // Installed before there were records.
    if (text === undefined) return true;
    const files = readRecord(text);
    if (files === undefined) return false;
    if ((await findDamage(join(folder, "node_modules"), files)) !== undefined) return false;
    this.#sound.add(key);
    return true;
  }

  /** A set that is damaged goes when nothing is being installed: a build may still be using it. */
  async #putAside(folder: string): Promise<void> {
    if (!(await exists(folder))) return;
    await rename(folder, join(this.#options.folder, `${UNFINISHED}${randomUUID()}`));
  }

  async #install(
    key: string,
    buildFolder: string,
    { runsScripts, user }: InstallOptions,
  ): Promise<InstallOutcome> {
    const { folder, timeoutMs, signal, groups, passEnv = [] } = this.#options;
    const finished = join(folder, key);
    if (await this.#isSound(key)) return { kind: "installed", key, detail: "cached" };
    const started = performance.now();
    const unfinished = join(folder, `${UNFINISHED}${randomUUID()}`);
    try {
      await mkdir(unfinished, { recursive: true });
      for (const name of INSTALL_FILES) {
        await copyFile(join(buildFolder, name), join(unfinished, name));
      }
      const args = runsScripts ? NPM_CI : [...NPM_CI, "--ignore-scripts"];
      if (user !== null) await giveTo(unfinished, user);
      const npm = { cwd: unfinished, timeoutMs, signal, user, groups, passEnv };
      const outcome = await runNpm(args, npm);
      if (outcome.kind === "failed") {
        if (outcome.diskCode !== null) throw new DiskError(outcome.diskCode);
        return outcome;
      }
      const leak = await findEscapingLink(unfinished);
      if (leak !== undefined) {
        const reason = `${leak} is a link to a file outside the installed packages, which builds may not read.`;
        return { kind: "failed", reason, log: [] };
      }
      const count = await packageCount(unfinished);
      // Builds share packages: none may change those of another.
      if (user !== null) {
        await rm(join(unfinished, ".npm"), { recursive: true, force: true });
        await giveTo(unfinished, { uid: 0, gid: 0 });
      }
      // npm makes none where a lockfile has nothing for this system; the link to it must lead somewhere.
      await mkdir(join(unfinished, "node_modules"), { recursive: true });
      const files = await recordFiles(join(unfinished, "node_modules"));
      const record = { sha256: hash("sha256", JSON.stringify(files)), files };
      await writeFile(join(unfinished, RECORD_FILE), JSON.stringify(record));
      await this.#putAside(finished);
      await rename(unfinished, finished);
      this.#sound.add(key);
      await syncFolder(folder);
      const packages = count === 1 ? "1 package" : `${count} packages`;
      return { kind: "installed", key, detail: `${packages} in ${secondsSince(started)}` };
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  }
}

/** The files of a record; undefined where the record itself is damaged. */
function readRecord(text: string): readonly RecordedFile[] | undefined {
  try {
    const { sha256, files } = JSON.parse(text) as { sha256: string; files: RecordedFile[] };
    return sha256 === hash("sha256", JSON.stringify(files)) ? files : undefined;
  } catch {
    return undefined;
  }
}

async function giveTo(folder: string, { uid, gid }: ProcessUser): Promise<void> {
  await lchown(folder, uid, gid);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), uid, gid);
  }
}

const NPM_CI = [
  "ci",
  "--omit=dev",
  "--no-audit",
  "--no-fund",
  "--no-update-notifier",
  "--no-progress",
  "--loglevel=error",
] as const;

/** npm writes down what it has installed. */
async function packageCount(folder: string): Promise<number> {
  const text = await readFile(join(folder, "node_modules/.package-lock.json"), "utf8").catch(
    () => "{}",
  );
  const { packages = {} } = JSON.parse(text) as { packages?: object };
  return Object.keys(packages).length;
}

/** The time since `startedAt` of `performance.now()`: "0.3 s". */
export function secondsSince(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}

/** What npm reads. Two builds with the same bytes in both get the same packages. */
const INSTALL_FILES = ["package.json", "package-lock.json"] as const;

/**
 * Names the packages of a build: the same for all builds that can share them. Packages with native
 * code depend on Node's version, the system and the processor; what install scripts make is not
 * shared with builds whose packages run none.
 */
async function modulesKey(
  buildFolder: string,
  { runsScripts }: { readonly runsScripts: boolean },
): Promise<string> {
  const hash = createHash("sha256");
  const [major] = process.versions.node.split(".");
  const scripts = runsScripts ? "" : " ignore-scripts";
  hash.update(`npm ${major} ${process.platform} ${process.arch}${scripts}\n`);
  for (const name of INSTALL_FILES) {
    const content = await readFile(join(buildFolder, name));
    hash.update(`${name} ${content.length}\n`).update(content);
  }
  return hash.digest("hex").slice(0, 32);
}
