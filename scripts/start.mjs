// npm start [-- options of `agate server`]
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled } from "./ensure-installed.mjs";
import { runProcess } from "./run-process.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node = ensureInstalled(root);
const cli = join(root, "packages/cli");
process.exitCode = await runProcess(node, [join(cli, "build.ts")]);
if (process.exitCode === 0) {
  const agate = join(cli, "dist/agate.js");
  const args = [agate, "server", ...process.argv.slice(2)];
  process.exitCode = await runProcess(node, args, { ownGroup: true });
}
