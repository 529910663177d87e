import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUNDLE_FILE, BUNDLE_MAP_FILE, type Bundle } from "../packing/bundle-app.ts";
import { type Project, type Refusal, refused } from "../packing/project.ts";

type BundlePurpose = "dev" | "serve" | "eval";

/** A folder for the bundles of this process, in the project; those that dead processes left are deleted. */
export function createBundleFolder(project: Project, purpose: BundlePurpose): string | Refusal {
  const parent = join(project.folder, "node_modules", ".agate");
  try {
    return createIn(parent, purpose);
  } catch (error) {
    const { message } = error as Error;
    return refused(
      `Can't write bundles of the program: ${message}. Check the permissions of ${parent}.`,
    );
  }
}

function createIn(parent: string, purpose: BundlePurpose): string {
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent)) {
    const owner = /^(?:dev|serve|eval)-(\d+)$/.exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    rmSync(join(parent, name), { recursive: true, force: true });
  }
  const folder = join(parent, `${purpose}-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Writes a bundle to a folder inside of the project, from where Node finds the project's packages.
 * Gives the program's path.
 */
export function placeBundle(files: Bundle["files"], folder: string): string {
  mkdirSync(folder, { recursive: true });
  const program = join(folder, BUNDLE_FILE);
  writeFileSync(program, files.get(BUNDLE_FILE) ?? "");
  const map = files.get(BUNDLE_MAP_FILE);
  if (map !== undefined) {
    writeFileSync(join(folder, BUNDLE_MAP_FILE), map);
  }
  return program;
}
