import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
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

/** Gives the calling thread a lower priority than its process. Only Linux can; elsewhere nothing. */
export function lowerThreadPriority(): void {
  if (process.platform !== "linux") return;
  try {
    // "<pid>/task/<thread id>"; setpriority(2) takes a thread id in place of a process id.
    const threadId = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(threadId, 10);
  } catch {
    // A container may hide /proc or forbid it: then the thread competes like any other.
  }
}

const CODES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "ERR_WORKER_INIT_FAILED"]);
/** What SQLite says when it cannot open a file, of an error that came from another thread. */
const CANNOT_OPEN = "unable to open database file";

/** Whether something failed because the process, or the machine, has no file descriptor left. */
export function isDescriptorShortage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (CODES.has((error as NodeJS.ErrnoException).code)) return true;
  return error.message === CANNOT_OPEN || isDescriptorShortage(error.cause);
}
