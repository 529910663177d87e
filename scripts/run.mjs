// node scripts/run.mjs FILE [arguments …]: runs FILE on the pinned Node, installing it if need be.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled } from "./ensure-installed.mjs";
import { runProcess } from "./run-process.mjs";

const node = ensureInstalled(dirname(dirname(fileURLToPath(import.meta.url))));
process.exitCode = await runProcess(node, process.argv.slice(2));
