// Checks every tsconfig.json of the repository; nobody has to list a new one.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { build } from "../packages/sdk/build.ts";

// Examples, benchmarks and tests of the product see the SDK as its users do: by what is in its dist.
await build();

const root = join(import.meta.dirname, "..");
const compiler = join(root, "node_modules/typescript/bin/tsc");
const projects = glob(
  [
    "*/tsconfig.json",
    "e2e/*/tsconfig.json",
    "packages/*/tsconfig{,.*}.json",
    "examples/*/tsconfig.json",
  ],
  {
    cwd: root,
    exclude: ["node_modules"],
  },
);
for await (const project of projects) {
  const check = spawn(process.execPath, [compiler, "-p", project], { cwd: root, stdio: "inherit" });
  const [code] = await once(check, "exit");
  console.log(`${code === 0 ? "✓" : "✗"} ${project}`);
  if (code !== 0) process.exitCode = 1;
}
