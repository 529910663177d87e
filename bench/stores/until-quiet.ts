import { setTimeout as pause } from "node:timers/promises";
import { processorSeconds } from "../process-tree.ts";

/** Of one core: what idle databases use to look after themselves. */
const QUIET = 0.05;
/** How long they must have rested: on a busy machine, one that waits for a core looks idle, too. */
const SECONDS = 5;
/** An engine that never rests is measured as it is. */
const PATIENCE_MS = 300_000;

/** Waits until these processes have caught up: indexes are written, parts merged. */
export async function untilQuiet(pids: readonly number[], patienceMs = PATIENCE_MS): Promise<void> {
  const used = () => pids.reduce((sum, pid) => sum + processorSeconds(pid), 0);
  const end = performance.now() + patienceMs;
  for (let before = used(), calm = 0; calm < SECONDS && performance.now() < end; ) {
    await pause(1000);
    const now = used();
    calm = now - before <= QUIET * pids.length ? calm + 1 : 0;
    before = now;
  }
}
