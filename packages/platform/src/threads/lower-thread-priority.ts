import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";

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
