import { build } from "../packages/cli/build.ts";

/** Vitest calls it once, before the first test of this folder. */
export async function setup(): Promise<void> {
  await build();
}
