import { setTimeout as delay } from "node:timers/promises";
import type { BuildRunner, RunnableBuild } from "./build-runner.ts";

/** Prepares builds, and waits for it so long at most. What fails is told when they are started. */
export async function prepareBuilds(
  runner: Pick<BuildRunner, "prepare">,
  builds: readonly RunnableBuild[],
  patienceMs: number,
): Promise<void> {
  const over = new AbortController();
  const prepared = Promise.allSettled(builds.map((build) => runner.prepare(build)));
  const patience = delay(patienceMs, undefined, { signal: over.signal }).catch(() => {});
  await Promise.race([prepared, patience]);
  over.abort();
}
