import { readdir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/**
 * The first symbolic link below a folder that leads out of it, or nowhere, relative to the folder. A
 * lockfile can make npm link any folder of the machine into `node_modules`, and Node's permission
 * model follows links.
 */
export async function findEscapingLink(folder: string): Promise<string | undefined> {
  const root = await realpath(folder);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isSymbolicLink()) continue;
    const link = join(entry.parentPath, entry.name);
    const target = await realpath(link).catch(() => undefined);
    if (target === undefined || !target.startsWith(root + sep)) return relative(root, link);
  }
  return undefined;
}
