import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUNDLE_FILE, BUNDLE_MAP_FILE, type Bundle } from "../packing/bundle-app.ts";

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
