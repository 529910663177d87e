import type { ResourceLimits, Transferable } from "node:worker_threads";
import { Worker } from "node:worker_threads";

/**
 * Starts a worker thread by the name of its entry file. From source that is the `.ts` file beside
 * the caller; in the built product every entry lies flat beside the bundle that asks for it.
 *
 * @example spawnThread(import.meta.url, "writer-worker", { directory })
 */
export function spawnThread(
  callerUrl: string,
  name: string,
  workerData: unknown,
  transfer: readonly Transferable[] = [],
  resourceLimits?: ResourceLimits,
): Worker {
  const extension = callerUrl.endsWith(".ts") ? "ts" : "js";
  return new Worker(new URL(`./${name}.${extension}`, callerUrl), {
    name,
    workerData,
    transferList: [...transfer],
    ...(resourceLimits && { resourceLimits }),
  });
}
