import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import type { ResourceLimits, Transferable } from "node:worker_threads";
import { Worker } from "node:worker_threads";

/**
 * Young objects that a thread which always runs may hold. V8's own limit of 48 MB a thread was most of the
 * server's memory (docs/guide/performance.md).
 */
export const YOUNG_GENERATION = {
  /** Decodes every request, so that it allocates more than the others. */
  ingest: { maxYoungGenerationSizeMb: 16 },
  /** The same where it also writes to a database: what waits for an answer is there for longer. */
  ingestIntoDatabase: { maxYoungGenerationSizeMb: 32 },
  store: { maxYoungGenerationSizeMb: 6 },
} as const satisfies Record<string, ResourceLimits>;

/**
 * Starts a worker thread by the name of its entry file. From source that is the `.ts` file beside
 * the caller; in the built product every entry lies flat beside the bundle that asks for it.
 *
 * Tests run from source, but with the threads of the built product where there is one (`BUILT_THREADS`): loading
 * a hundred source files for each of six threads is half of what starting a server takes.
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
  const isSource = callerUrl.endsWith(".ts");
  const built = isSource ? process.env.BUILT_THREADS : undefined;
  const beside = new URL(`./${name}.${isSource ? "ts" : "js"}`, callerUrl);
  return new Worker(built === undefined ? beside : join(built, `${name}.js`), {
    name,
    workerData,
    transferList: [...transfer],
    ...(resourceLimits && { resourceLimits }),
  });
}

/** Lowers the priority of the calling thread below that of its process. Does nothing except on Linux. */
export function lowerThreadPriority(): void {
  if (process.platform !== "linux") return;
  try {
    // "<pid>/task/<thread id>"; setpriority(2) takes a thread id in place of a process id.
    const threadId = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(threadId, 10);
  } catch {
    // A container may hide /proc or forbid the call: the thread then keeps its normal priority.
  }
}

const CODES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "ERR_WORKER_INIT_FAILED"]);
/** SQLite's messages when it cannot open or attach a file; an error from another thread has lost its code. */
const CANNOT_OPEN = /^unable to open database(?: file$|: )/;

/** Whether an error means that the process, or the machine, has run out of file descriptors. */
export function isDescriptorShortage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (CODES.has((error as NodeJS.ErrnoException).code)) return true;
  return CANNOT_OPEN.test(error.message) || isDescriptorShortage(error.cause);
}
