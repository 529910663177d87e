import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseObject } from "./package-folder.ts";
import { type Refusal, refused } from "./project.ts";

const NPM = "package-lock.json";

/** Lockfiles of other package managers, which are not parsed here. */
const OTHERS = new Map([
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "Yarn"],
  ["bun.lock", "Bun"],
  ["bun.lockb", "Bun"],
]);

export type FoundLockfile =
  | {
      readonly kind: "npm";
      /** Where it lies: the project's folder, or that of the workspaces' root. */
      readonly folder: string;
      readonly lockfile: NpmLockfile;
    }
  | Refusal;

/** The lockfile of a project: the nearest one at or above its folder. */
export async function findLockfile(projectFolder: string): Promise<FoundLockfile> {
  for (let folder = projectFolder; ; folder = dirname(folder)) {
    if (existsSync(join(folder, NPM))) return readLockfile(folder);
    const other = [...OTHERS].find(([name]) => existsSync(join(folder, name)));
    if (other !== undefined) return refused(otherLockfile(...other));
    if (dirname(folder) !== folder) continue;
    return refused(
      "There is no package-lock.json, which says in which versions packages are installed. Run npm install, and keep the file beside your sources.",
    );
  }
}

function otherLockfile(name: string, manager: string): string {
  return `Packages are installed from npm's package-lock.json, and this project has ${manager}'s ${name}. Run npm install --package-lock-only to have one as well, and again whenever dependencies change.`;
}

async function readLockfile(folder: string): Promise<FoundLockfile> {
  const file = join(folder, NPM);
  const text = await readFile(file, "utf8");
  let value: Partial<NpmLockfile>;
  try {
    value = parseObject(text, file);
  } catch (error) {
    if (error instanceof SyntaxError) return refused(`${error.message} Run npm install.`);
    throw error;
  }
  const { lockfileVersion, packages } = value;
  if (lockfileVersion === 1) {
    return refused(
      `${file} is of version 1, from npm 6 or older. Run npm install --package-lock-only with a newer npm.`,
    );
  }
  const isKnown = lockfileVersion === 2 || lockfileVersion === 3;
  if (!isKnown || typeof packages !== "object" || packages === null) {
    return refused(
      `${file} is of a version that this agate does not know (${lockfileVersion}). Update @agate/cli.`,
    );
  }
  return { kind: "npm", folder, lockfile: { lockfileVersion, packages } };
}

/** What is read of a `package-lock.json`, versions 2 and 3. */
export interface NpmLockfile {
  readonly lockfileVersion: number;
  /** By their folders, relative to the lockfile's; the project itself is "". */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** An installed package. What else npm wrote about it is kept as it is. */
export interface LockedPackage {
  readonly version?: string;
  /** True for a folder of this machine, whose place is `resolved`. */
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly [more: string]: unknown;
}

/** The folder in which a package finds another: the nearest `node_modules` at or above it. */
export function locate(
  has: (path: string) => boolean,
  from: string,
  name: string,
): string | undefined {
  for (let folder: string | undefined = from; folder !== undefined; folder = parentOf(folder)) {
    if (folder === "node_modules" || folder.endsWith("/node_modules")) continue;
    const path = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (has(path)) return path;
  }
  return undefined;
}

function parentOf(folder: string): string | undefined {
  if (folder === "" || folder === "..") return undefined;
  return folder.slice(0, Math.max(0, folder.lastIndexOf("/")));
}

/** A package that the program itself imports. */
interface WantedPackage {
  readonly name: string;
  /** As it was declared: `^4.1.0`. */
  readonly range: string;
  /** The folder of the package that declares it, as the lockfile names it. */
  readonly importer: string;
}

type ReduceOutcome = { readonly kind: "reduced"; readonly lockfile: NpmLockfile } | Refusal;

/** The name of every build's package: two programs with the same packages have the same lockfile. */
export const BUILD_PACKAGE_NAME = "agate-build";

/**
 * Of a project's lockfile what some packages need, in the same versions. Each keeps its place, where
 * no two programs' places have become one: a workspace's own packages move up to the root.
 */
export function reduceLockfile(
  lockfile: NpmLockfile,
  wanted: readonly WantedPackage[],
): ReduceOutcome {
  const reduction = new Reduction(lockfile);
  for (const { name, importer } of wanted) {
    const location = reduction.find(importer, name);
    if (location === undefined) {
      return refused(`${name} is not in package-lock.json. Run npm install to put it there.`);
    }
    const problem = reduction.place("", name, location);
    if (problem !== undefined) return refused(problem);
  }
  const problem = reduction.placeNeeded() ?? reduction.check();
  if (problem !== undefined) return refused(problem);
  const dependencies = Object.fromEntries(wanted.map(({ name, range }) => [name, range]));
  const root = { name: BUILD_PACKAGE_NAME, dependencies };
  return {
    kind: "reduced",
    lockfile: { lockfileVersion: 3, packages: { "": root, ...reduction.packages() } },
  };
}

/**
 * How often a package may be inside of itself. Packages that need each other, and other versions of themselves,
 * can hide each other at every depth once a workspace's package has taken the place of one at the root.
 */
const MOST_COPIES = 6;

/** Where packages go. Its methods return what is wrong, if anything is. */
class Reduction {
  readonly #packages: NpmLockfile["packages"];
  /** The new folder of a package → its old one. */
  readonly #placed = new Map<string, string>();
  /** Whose needs are still to be looked at, by new folder. */
  readonly #open: string[] = [];
  readonly #needs: { readonly from: string; readonly name: string; readonly location: string }[] =
    [];

  constructor({ packages }: NpmLockfile) {
    this.#packages = packages;
  }

  /** The old folder of a package that another one finds. */
  find(from: string, name: string): string | undefined {
    return locate((path) => Object.hasOwn(this.#packages, path), from, name);
  }

  place(from: string, name: string, location: string): string | undefined {
    const entry = this.#packages[location];
    if (entry?.link) {
      return `${from === "" ? "The program" : nameIn(from)} needs ${name}, which is the folder ${entry.resolved} of this machine: it cannot be installed elsewhere. Import it in your own code, or publish it.`;
    }
    this.#needs.push({ from, name, location });
    const found = this.#locate(from, name);
    if (found !== undefined && this.#placed.get(found) === location) return undefined;
    const own = from === "" ? `node_modules/${name}` : `${from}/node_modules/${name}`;
    const usual = usualFolder(location);
    const folder = this.#isFree(usual, from, name) ? usual : own;
    if (this.#placed.has(folder)) {
      return `${name} is needed in two versions, ${this.#version(location)} and ${this.#version(this.#placed.get(folder))}, by sources that become one file. Let them agree on one.`;
    }
    if (this.#copiesAbove(folder, location) === MOST_COPIES) {
      return `The packages of package-lock.json cannot be laid out for one program: ${name} would be inside of itself without end. Run npm dedupe.`;
    }
    this.#placed.set(folder, location);
    this.#open.push(folder);
    return undefined;
  }

  /** Everything that the placed packages need, and what that needs. */
  placeNeeded(): string | undefined {
    for (let folder = this.#open.shift(); folder !== undefined; folder = this.#open.shift()) {
      const location = this.#placed.get(folder) ?? "";
      for (const name of needsOf(this.#packages[location] ?? {})) {
        const found = this.find(location, name);
        // Not in the lockfile: optional, for another operating system, or omitted by the install.
        const problem = found === undefined ? undefined : this.place(folder, name, found);
        if (problem !== undefined) return problem;
      }
    }
    return undefined;
  }

  /** A package that came late may stand in the way of one that was found before. */
  check(): string | undefined {
    const lost = this.#needs.find(
      ({ from, name, location }) => this.#placed.get(this.#locate(from, name) ?? "") !== location,
    );
    return (
      lost &&
      `The packages of package-lock.json cannot be laid out for one program: ${nameIn(lost.from)} would find another ${lost.name}. Run npm dedupe.`
    );
  }

  packages(): Record<string, LockedPackage> {
    const folders = [...this.#placed].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(
      folders.map(([folder, location]) => [folder, withoutDev(this.#packages[location] ?? {})]),
    );
  }

  #locate(from: string, name: string): string | undefined {
    return locate((path) => this.#placed.has(path), from, name);
  }

  /** Whether a package that is put into a folder is what another one finds. */
  #isFree(folder: string, from: string, name: string): boolean {
    if (this.#placed.has(folder)) return false;
    return locate((path) => path === folder || this.#placed.has(path), from, name) === folder;
  }

  /** How many packages that a folder is inside of are the same one. */
  #copiesAbove(folder: string, location: string): number {
    let copies = 0;
    for (let above = parentOf(folder); above !== undefined; above = parentOf(above)) {
      if (this.#placed.get(above) === location) copies += 1;
    }
    return copies;
  }

  #version(location: string | undefined): string {
    return this.#packages[location ?? ""]?.version ?? "unknown";
  }
}

/** The folder of a package without that of the workspace which has it. */
function usualFolder(location: string): string {
  const { index = 0 } = /(?<=^|\/)node_modules\//.exec(location) ?? {};
  return location.slice(index);
}

/** What a package needs when it runs. Peers that it can do without are for its users to install. */
function needsOf(entry: LockedPackage): string[] {
  const peers = Object.keys(entry.peerDependencies ?? {}).filter(
    (name) => entry.peerDependenciesMeta?.[name]?.optional !== true,
  );
  const names = [entry.dependencies, entry.optionalDependencies].flatMap((field) =>
    Object.keys(field ?? {}),
  );
  return [...new Set([...names, ...peers])].toSorted();
}

/** Nothing is for development here. What was for that and optional is optional. */
function withoutDev({ dev: _dev, devOptional, ...entry }: LockedPackage): LockedPackage {
  return devOptional === true ? { ...entry, optional: true } : entry;
}

function nameIn(folder: string): string {
  return folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
}
