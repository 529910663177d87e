// npm run pack [-- FOLDER]: builds both packages and writes their tarballs to FOLDER (default tarballs/).
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled } from "./ensure-installed.mjs";
import { runProcess } from "./run-process.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = resolve(process.argv[2] ?? join(root, "tarballs"));
const node = ensureInstalled(root);
const packages = ["sdk", "cli"].map((name) => join(root, "packages", name));
mkdirSync(folder, { recursive: true });
for (const source of packages) {
  process.exitCode ||= await runProcess(node, [join(source, "build.ts")]);
}
// npm prints the name of each tarball.
process.exitCode ||= await runProcess("npm", [
  "pack",
  "--silent",
  "--pack-destination",
  folder,
  ...packages,
]);
if (process.exitCode === 0) process.stderr.write(`Written to ${folder}\n`);
