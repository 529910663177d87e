import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseObject } from "../package-folder.ts";

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
  | { readonly kind: "refused"; readonly reason: string };

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

function refused(reason: string): FoundLockfile {
  return { kind: "refused", reason };
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
