import { join } from "node:path";
import { build as buildCli } from "../packages/cli/build.ts";
import { build as buildSdk } from "../packages/sdk/build.ts";

/** Of this process: Vitest loads this file once for each project that names it. */
const BUILT: unique symbol = Symbol.for("agate.e2e.built");
const run = globalThis as { [BUILT]?: Promise<unknown> };

/**
 * Vitest calls it before the first test of each project of this folder. The product is built once, and unit tests
 * of the same run take its threads (threads/spawn-thread.ts).
 */
export async function setup(): Promise<void> {
  run[BUILT] ??= Promise.all([buildCli(), buildSdk()]);
  await run[BUILT];
  process.env.BUILT_THREADS = join(import.meta.dirname, "../packages/cli/dist");
}
