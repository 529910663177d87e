import { existsSync, type FSWatcher, statSync, watch } from "node:fs";
import { dirname, extname, join, sep } from "node:path";
import type { Plugin } from "esbuild";
import type { Project } from "./project.ts";

/** A save is several events: the editor's temporary file, the rename over the old one. */
const DEBOUNCE_MS = 15;

/** How often a file that is empty is given time: an editor that saves in place empties it first. */
const PATIENCE = 6;

/** Files of these kinds may be what an import was looking for. */
const SOURCES = new Set([
  ...[".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".txt", ".md"],
]);

interface WatchedFolder {
  readonly watcher: FSWatcher;
  /** A folder that was deleted and created again has to be watched again. */
  readonly inode: number;
}

/**
 * Watches the folders that a bundle's sources lie in, and those in which an import looked for one in
 * vain. Folders and not files: an editor that saves by renaming replaces the file.
 */
export class SourceWatcher {
  readonly #onChange: () => void;
  readonly #always: readonly string[];
  readonly #watched = new Map<string, WatchedFolder>();
  #files = new Set<string>();
  /** The files that have changed since the last build. */
  readonly #changes = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** The work that runs, one after the other. */
  #work: Promise<void> = Promise.resolve();

  constructor(project: Project, onChange: () => void) {
    this.#onChange = onChange;
    this.#always = [
      project.entry,
      join(project.folder, "package.json"),
      join(project.folder, "tsconfig.json"),
    ];
  }

  /** Sees every file that esbuild reads, and every one that it looks for. */
  plugin(): Plugin {
    return {
      name: "agate-source-watcher",
      setup: (build) => {
        build.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => {
          this.#see(join(resolveDir, path));
          return undefined;
        });
        build.onLoad({ filter: /.*/ }, ({ path }) => {
          this.#see(path);
          return undefined;
        });
      },
    };
  }

  /** Runs a build, and watches what it has seen afterwards. */
  during(build: () => Promise<void>): Promise<void> {
    const work = this.#work.then(async () => {
      if (this.#isClosed) return;
      const begun = Date.now();
      this.#files = new Set(this.#always);
      try {
        await build();
      } finally {
        this.#watchFolders(begun);
      }
    });
    this.#work = work.catch(() => {});
    return work;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#work;
    for (const { watcher } of this.#watched.values()) watcher.close();
    this.#watched.clear();
  }

  #see(path: string): void {
    if (!path.includes(`${sep}node_modules${sep}`)) this.#files.add(path);
  }

  #watchFolders(begun: number): void {
    if (this.#isClosed) return;
    const folders = new Set([...this.#files].map((file) => nearestFolder(dirname(file))));
    for (const [folder, { watcher, inode }] of this.#watched) {
      if (folders.has(folder) && inodeOf(folder) === inode) continue;
      watcher.close();
      this.#watched.delete(folder);
    }
    for (const folder of folders) {
      if (!this.#watched.has(folder)) this.#watchFolder(folder, begun);
    }
  }

  #watchFolder(folder: string, begun: number): void {
    const inode = inodeOf(folder);
    if (inode === undefined) {
      // It has gone since. The next build says what is missing.
      this.#changed(folder);
      return;
    }
    const watcher = watch(folder, (_, name) => {
      const path = join(folder, name ?? "");
      if (name === null || this.#concerns(path)) this.#changed(path);
    });
    // A deleted folder, above all.
    watcher.on("error", () => this.#changed(folder));
    this.#watched.set(folder, { watcher, inode });
    // A file that was saved after it was read, and before this line.
    for (const file of this.#files) {
      if (dirname(file) === folder && (modifiedAt(file) ?? 0) > begun) this.#changed(file);
    }
  }

  #concerns(path: string): boolean {
    if (SOURCES.has(extname(path)) || this.#files.has(path)) return true;
    // A folder: of sources, or that an import has missed.
    return [...this.#files].some((file) => file.startsWith(path + sep)) || this.#watched.has(path);
  }

  #changed(path: string): void {
    this.#changes.add(path);
    this.#wait(PATIENCE);
  }

  #wait(patience: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      if (patience > 0 && [...this.#changes].some(isEmptyFile)) return this.#wait(patience - 1);
      this.#changes.clear();
      this.#onChange();
    }, DEBOUNCE_MS);
  }
}

function nearestFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

function inodeOf(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.ino;
}

function modifiedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

function isEmptyFile(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size === 0;
}
