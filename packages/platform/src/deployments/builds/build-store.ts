import { randomUUID } from "node:crypto";
import { mkdir, readFile, readlink, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { BuildManifest } from "@agate/protocol";
import { BUILD_MANIFEST_FILE } from "@agate/protocol";
import type { BuildArchives } from "../../stores/registry/shared-builds.ts";
import { exists, findDamage, namesIn, syncFolder } from "./folder-contents.ts";
import type { InstallOptions, InstallOutcome, ModulesStore } from "./modules-store.ts";
import { unpackArchive } from "./unpack-archive.ts";

export interface BuildStoreOptions {
  readonly folder: string;
  readonly modules: ModulesStore;
  readonly mostUnpackedBytes: number;
  /** Where the files of builds that came through other replicas are; null for a platform alone. */
  readonly archives: Pick<BuildArchives, "read"> | null;
}

/** A build's files, whole and on disk, without a place of their own yet. */
export interface UnpackedBuild extends AsyncDisposable {
  readonly kind: "unpacked";
  readonly manifest: BuildManifest;
  /** Hex of the SHA-256 of the manifest's file. */
  readonly manifestHash: string;
  /** Gives them their place, under the build's id. Without it they are removed when disposed of. */
  keep(buildId: string): Promise<void>;
}

const UNFINISHED = ".unpacking-";

/**
 * The files of builds, a folder each, named after the build's id. A folder under its final name is
 * always whole: it is made under another, brought to disk, and renamed.
 */
export class BuildStore {
  readonly #options: BuildStoreOptions;
  readonly #unpacking = new Set<string>();
  readonly #fetching = new Map<string, Promise<void>>();
  #installs = 0;
  #sweep: Promise<void> | undefined;

  constructor(options: BuildStoreOptions) {
    this.#options = options;
  }

  /** The data directory: builds, their packages and the databases of the platform. */
  get dataFolder(): string {
    return dirname(this.#options.folder);
  }

  folderOf(buildId: string): string {
    return join(this.#options.folder, buildId);
  }

  async unpack(
    archive: Uint8Array,
  ): Promise<UnpackedBuild | { readonly kind: "invalid"; readonly reason: string }> {
    const name = `${UNFINISHED}${randomUUID()}`;
    const folder = join(this.#options.folder, name);
    this.#unpacking.add(name);
    await using made = new AsyncDisposableStack();
    made.defer(async () => {
      await rm(folder, { recursive: true, force: true });
      this.#unpacking.delete(name);
    });
    await mkdir(folder, { recursive: true });
    const outcome = await unpackArchive(archive, folder, this.#options);
    if (outcome.kind === "invalid") return outcome;
    const rest = made.move();
    return {
      kind: "unpacked",
      manifest: outcome.manifest,
      manifestHash: outcome.manifestHash,
      keep: async (buildId) => {
        await rename(folder, this.folderOf(buildId));
        await syncFolder(this.#options.folder);
      },
      [Symbol.asyncDispose]: () => rest.disposeAsync(),
    };
  }

  /**
   * Compares a build's files with its manifest, and that with the registry's record. What the disk has
   * damaged is fetched again where another copy is kept.
   *
   * @param manifestHash Null where it was not recorded.
   * @returns a file that is damaged still.
   */
  async repair(buildId: string, manifestHash: string | null): Promise<string | undefined> {
    const { archives, folder } = this.#options;
    const damaged = await this.#damageOf(buildId, manifestHash);
    if (damaged === undefined || (await archives?.read(buildId)) === undefined) return damaged;
    const name = `${UNFINISHED}${randomUUID()}`;
    await rename(this.folderOf(buildId), join(folder, name));
    await this.#fetchOnce(buildId);
    await rm(join(folder, name), { recursive: true, force: true });
    return this.#damageOf(buildId, manifestHash);
  }

  async #damageOf(buildId: string, manifestHash: string | null): Promise<string | undefined> {
    const folder = this.folderOf(buildId);
    if (!(await exists(folder))) return undefined;
    const manifest = { path: BUILD_MANIFEST_FILE, sha256: manifestHash ?? "" };
    if (manifestHash !== null && (await findDamage(folder, [manifest])) !== undefined) {
      return BUILD_MANIFEST_FILE;
    }
    const known = await this.manifestOf(buildId).catch(() => undefined);
    return known === undefined ? BUILD_MANIFEST_FILE : findDamage(folder, known.files);
  }

  /** Has the packages of a build compared with what was installed when they are next asked for. */
  async distrustModules(buildId: string): Promise<void> {
    const modules = await this.modulesOf(buildId);
    if (modules !== undefined) this.#options.modules.distrust(basename(dirname(modules)));
  }

  /** Whether its files are here, with packages where it needs any. */
  async isHere(buildId: string): Promise<boolean> {
    const folder = this.folderOf(buildId);
    if (!(await exists(folder))) return false;
    // One that is damaged is fetched, which takes as long as one that is not here.
    const manifest = await this.manifestOf(buildId).catch(() => undefined);
    return manifest?.install === null || (await exists(join(folder, "node_modules")));
  }

  /** What a build says of itself, once its files are here; undefined where they are no longer kept. */
  async manifestOf(buildId: string): Promise<BuildManifest | undefined> {
    const folder = this.folderOf(buildId);
    if (!(await exists(folder))) {
      await this.#fetchOnce(buildId);
      if (!(await exists(folder))) return undefined;
    }
    // It was checked when it came.
    return JSON.parse(await readFile(join(folder, BUILD_MANIFEST_FILE), "utf8")) as BuildManifest;
  }

  /** A build's files as an archive, packed while it is read; undefined where they are no longer kept. */
  async archiveOf(
    buildId: string,
  ): Promise<((signal: AbortSignal) => AsyncIterable<Uint8Array>) | undefined> {
    const manifest = await this.manifestOf(buildId);
    if (manifest === undefined) return undefined;
    // Most servers are never asked for one.
    const { streamArchive } = await import("./stream-archive.ts");
    return (signal) => streamArchive(this.folderOf(buildId), manifest, signal);
  }

  #fetchOnce(buildId: string): Promise<void> {
    const underWay = this.#fetching.get(buildId);
    if (underWay !== undefined) return underWay;
    const fetch = this.#fetch(buildId).finally(() => this.#fetching.delete(buildId));
    this.#fetching.set(buildId, fetch);
    return fetch;
  }

  async #fetch(buildId: string): Promise<void> {
    const archive = await this.#options.archives?.read(buildId);
    if (archive === undefined) return;
    const unpacked = await this.unpack(archive);
    // The replica that it came through has taken it: this one allows less, or it was damaged since.
    if (unpacked.kind === "invalid") throw new Error(`its archive is unusable: ${unpacked.reason}`);
    await using _ = unpacked;
    await unpacked.keep(buildId);
  }

  /** Where the build's installed packages are; undefined where it has none. */
  async modulesOf(buildId: string): Promise<string | undefined> {
    const link = join(this.folderOf(buildId), "node_modules");
    const target = await linkTarget(link);
    return target === undefined ? undefined : resolve(dirname(link), target);
  }

  /** Puts the packages beside the program: a link, since packages find each other by their real paths. */
  async install(buildId: string, options: InstallOptions): Promise<InstallOutcome> {
    // Packages that were there already must not be swept away before the link says who needs them.
    while (this.#sweep !== undefined) await this.#sweep;
    this.#installs++;
    try {
      return await this.#install(buildId, options);
    } finally {
      this.#installs--;
    }
  }

  async #install(buildId: string, options: InstallOptions): Promise<InstallOutcome> {
    const { modules } = this.#options;
    const outcome = await modules.install(this.folderOf(buildId), options);
    if (outcome.kind === "failed") return outcome;
    const link = join(this.folderOf(buildId), "node_modules");
    // Relative, so that the data directory can be moved.
    const target = relative(dirname(link), modules.nodeModules(outcome.key));
    if ((await linkTarget(link)) !== target) {
      await rm(link, { force: true });
      await symlink(target, link, "junction");
    }
    return outcome;
  }

  async remove(buildId: string): Promise<void> {
    await rm(this.folderOf(buildId), { recursive: true, force: true });
  }

  /**
   * Removes the files of all builds but some, packages that none of those needs, and what a crash
   * left behind.
   *
   * @param kept Asked once it is known what is there: what comes later is not removed.
   */
  async sweep(kept: () => Promise<ReadonlySet<string>>): Promise<void> {
    const { folder } = this.#options;
    const names = await namesIn(folder);
    const ids = await kept();
    for (const name of names) {
      if (ids.has(name) || this.#unpacking.has(name)) continue;
      await rm(join(folder, name), { recursive: true, force: true });
    }
    // With an install under way it is left to the next time.
    if (this.#installs > 0 || this.#sweep !== undefined) return;
    this.#sweep = this.#sweepModules().finally(() => {
      this.#sweep = undefined;
    });
    await this.#sweep;
  }

  async #sweepModules(): Promise<void> {
    const { folder, modules } = this.#options;
    const used = new Set<string>();
    for (const name of await namesIn(folder)) {
      const target = await linkTarget(join(folder, name, "node_modules"));
      if (target !== undefined) used.add(basename(dirname(target)));
    }
    await modules.sweep(used);
  }
}

async function linkTarget(path: string): Promise<string | undefined> {
  // Absent, or a folder that the build itself brought along.
  return readlink(path).catch(() => undefined);
}
