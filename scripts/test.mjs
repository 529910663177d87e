// npm test [-- paths and options of vitest]
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled } from "./ensure-installed.mjs";
import { runProcess } from "./run-process.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node = ensureInstalled(root);
const vitest = join(root, "node_modules/vitest/vitest.mjs");
process.exitCode = await runProcess(node, [vitest, "run", ...process.argv.slice(2)]);
