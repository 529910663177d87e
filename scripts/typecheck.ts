// Checks every tsconfig.json of the repository, without a list of them.
import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { build } from "../packages/sdk/build.ts";

// Examples, benchmarks and tests of the product see the SDK as its users do: by what is in its dist.
await build();

const root = join(import.meta.dirname, "..");
const compiler = join(root, "node_modules/typescript/bin/tsc");
const projects = globSync(
  [
    "*/tsconfig.json",
    "e2e/*/tsconfig.json",
    "packages/*/tsconfig{,.*}.json",
    "examples/*/tsconfig.json",
  ],
  { cwd: root, exclude: ["node_modules"] },
);

/** One project a core, each with one thread: several threads do a part of the work more than once. */
const left = projects.values();
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (const project of left) await check(project);
  }),
);

function check(project: string): Promise<void> {
  const args = [compiler, "-p", project, "--singleThreaded"];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root }, (error, stdout, stderr) => {
      console.log(`${stdout}${stderr}${error === null ? "✓" : "✗"} ${project}`);
      if (error !== null) process.exitCode = 1;
      resolve();
    });
  });
}
