import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Project, type Refusal, refused } from "../packing/project.ts";

/** A folder for the bundles of this process, in the project; those that dead processes left are deleted. */
export function createBundleFolder(project: Project, purpose: "dev" | "serve"): string | Refusal {
  const parent = join(project.folder, "node_modules", ".agate");
  try {
    return createIn(parent, purpose);
  } catch (error) {
    const { message } = error as Error;
    return refused(
      `Bundles of the program cannot be written: ${message}. See to it that you may write to ${parent}.`,
    );
  }
}

function createIn(parent: string, purpose: "dev" | "serve"): string {
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent)) {
    const owner = /^(?:dev|serve)-(\d+)$/.exec(name)?.[1];
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
    // Somebody else's process is one all the same.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
