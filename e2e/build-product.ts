import { build as buildCli } from "../packages/cli/build.ts";
import { build as buildSdk } from "../packages/sdk/build.ts";

/** Vitest calls it once, before the first test of this folder. */
export async function setup(): Promise<void> {
  await Promise.all([buildCli(), buildSdk()]);
}
