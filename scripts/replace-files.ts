import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Path in the folder, with slashes → content. */
export type Files = ReadonlyMap<string, string | Uint8Array>;

interface Options {
  /** Files that are programs. */
  readonly executable?: readonly string[];
}

/** An empty database beside the installed packages, where nothing is committed or published. */
const LOCK = join(import.meta.dirname, "../node_modules/.agate-build.lock");
const PATIENCE_MS = 60_000;

/**
 * Makes a folder hold these files and no others, for processes that run from it meanwhile: each file
 * is whole at every moment, what is new is there before what refers to it, and what has not changed
 * is not touched. Builds that run at once take turns, so that the last one's files are all there.
 */
export function replaceFiles(
  folder: string,
  files: Files,
  { executable = [] }: Options = {},
): void {
  using _turn = turn();
  mkdirSync(folder, { recursive: true });
  const present = filesIn(folder);
  const changed = [...files].filter(
    ([name, content]) => !(present.has(name) && isSame(join(folder, name), content)),
  );
  const isNew = ([name]: readonly [string, unknown]) => !present.has(name);
  for (const [name, content] of [...changed.filter(isNew), ...changed.filter((f) => !isNew(f))]) {
    const path = join(folder, name);
    const unfinished = `${path}.unfinished`;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(unfinished, content, { mode: executable.includes(name) ? 0o755 : 0o644 });
    renameSync(unfinished, path);
  }
  for (const name of present) {
    if (!files.has(name)) rmSync(join(folder, name), { force: true });
  }
}

/**
 * Waits for the other builds of this repository. A lock of SQLite's, because the system lets go of it
 * when a process dies; everything done under it is synchronous, so that no process waits for itself.
 */
function turn(): Disposable {
  const lock = new DatabaseSync(LOCK, { timeout: PATIENCE_MS });
  lock.exec("BEGIN EXCLUSIVE");
  return lock;
}

function filesIn(folder: string): ReadonlySet<string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .map((path) => path.replaceAll(sep, "/")),
  );
}

function isSame(path: string, content: string | Uint8Array): boolean {
  return readFileSync(path).equals(Buffer.from(content));
}
