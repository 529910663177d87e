import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** What npm reads. Two builds with the same bytes in both get the same packages. */
export const INSTALL_FILES = ["package.json", "package-lock.json"] as const;

/**
 * Names the packages of a build: the same for all builds that can share them. Packages with native
 * code depend on Node's version, the system and the processor; what install scripts make is not
 * shared with builds whose packages run none.
 */
export async function modulesKey(
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
