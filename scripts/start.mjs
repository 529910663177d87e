// npm start [-- options of `agate dev`]
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled } from "./ensure-installed.mjs";
import { runProcess } from "./run-process.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node = ensureInstalled(root);
process.exitCode =
  (await runProcess(node, [join(root, "packages/cli/build.ts")])) ||
  (await runProcess(node, [join(root, "packages/sdk/build.ts")])) ||
  (await runProcess(node, [join(root, "scripts/run-quickstart.ts"), ...process.argv.slice(2)], {
    ownGroup: true,
  }));
