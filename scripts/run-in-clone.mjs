import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled } from "./ensure-installed.mjs";
import { runProcess } from "./run-process.mjs";

/**
 * Runs `agate` in this clone on the pinned Node, and builds it first where it has not been built.
 *
 * @param {readonly string[]} args
 * @returns {Promise<number>} its exit code
 */
export async function runInClone(args) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const tool = join(root, "packages/cli/dist/agate.js");
  const node = ensureInstalled(root);
  if (!existsSync(tool)) {
    process.stderr.write("Building Agate, this once. After a change: npm run build\n");
    const failed = await runProcess(node, [join(root, "packages/cli/build.ts")]);
    if (failed !== 0) return failed;
  }
  return runProcess(node, [tool, ...args], { ownGroup: true });
}
