#!/usr/bin/env node
// The command `agate`. npm links it when it installs a package, and only if it exists: dist/ does not
// in a new clone. There it is built on first use and runs on the pinned Node.
import { existsSync } from "node:fs";

if (existsSync(new URL("../build.ts", import.meta.url))) {
  const { runInClone } = await import("../../../scripts/run-in-clone.mjs");
  process.exitCode = await runInClone(process.argv.slice(2));
} else {
  await import("../dist/agate.js");
}
