import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BUNDLE_FILE, BUNDLE_MAP_FILE, type Bundle } from "../packing/bundle-app.ts";
import type { Project } from "../packing/project.ts";

/**
 * Writes a bundle to a folder inside of the project, from where Node finds the project's packages.
 * Gives the program's path.
 */
export function placeBundle(project: Project, files: Bundle["files"], folder: string): string {
  mkdirSync(folder, { recursive: true });
  const program = join(folder, BUNDLE_FILE);
  writeFileSync(program, files.get(BUNDLE_FILE) ?? "");
  const map = files.get(BUNDLE_MAP_FILE);
  if (map !== undefined) {
    writeFileSync(join(folder, BUNDLE_MAP_FILE), withSourceRoot(map, project.folder));
  }
  return program;
}

/** Stack traces are to name the project's files, which do not lie beside the bundle. */
function withSourceRoot(map: Uint8Array, folder: string): string {
  const content = JSON.parse(Buffer.from(map).toString()) as object;
  return JSON.stringify({ ...content, sourceRoot: `${pathToFileURL(folder)}/` });
}
