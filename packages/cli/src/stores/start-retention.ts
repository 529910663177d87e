import { setImmediate as nextTurn } from "node:timers/promises";
import type { SpanStore } from "./span-store.ts";

/** Traces that go in one step; between steps whatever waits gets its turn. */
const TRACES_PER_STEP = 50;
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Deletes traces once they have been kept for long enough: now, and then every minute, or sooner
 * where a minute would be more than a tenth of that time.
 *
 * @param keepMs How long a trace stays, counted from the arrival of its last span.
 * @param report Told how many traces a round deleted, or what it failed with.
 * @returns How to stop; resolves when the round under way has ended.
 */
export function startRetention(
  store: SpanStore,
  keepMs: number,
  report: (round: { deleted: number } | { failed: unknown }) => void,
): () => Promise<void> {
  let stopped = false;
  const round = async () => {
    let deleted = 0;
    try {
      for (let step = TRACES_PER_STEP; step === TRACES_PER_STEP && !stopped; deleted += step) {
        step = await store.expire((Date.now() - keepMs) * 1000, TRACES_PER_STEP);
        await nextTurn();
      }
      if (deleted > 0) report({ deleted });
    } catch (error) {
      // The next round tries again: a full disk or a restart of the database passes.
      report({ failed: error });
    }
  };
  const pauseMs = Math.min(Math.max(keepMs / 10, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void>;
  const runRounds = () => {
    underWay = round().then(() => {
      if (!stopped) timer = setTimeout(runRounds, pauseMs).unref();
    });
  };
  runRounds();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await underWay;
  };
}
