import chromium from "@sparticuz/chromium";
import { build as buildCli } from "../packages/cli/build.ts";
import { build as buildSdk } from "../packages/sdk/build.ts";

/** Vitest calls it once, before the first test of this folder. */
export async function setup(): Promise<void> {
  // The browser is unpacked where it is asked for first, and whoever asks meanwhile is told of half a
  // file: on a new machine, the first two test files do so at the same time.
  await Promise.all([buildCli(), buildSdk(), chromium.executablePath()]);
}
