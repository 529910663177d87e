import { setTimeout as delay } from "node:timers/promises";
import type { RegistrySignals } from "../stores/registry/registry-signals.ts";

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5000;

/**
 * Reloads after every signal about projects and keys, one reload at a time. A failed reload is retried
 * until it succeeds: a transient failure must not keep a key valid that another server has revoked.
 */
export function followSignals(
  signals: Pick<RegistrySignals, "subscribe">,
  reload: () => Promise<void>,
  onFailed: (error: unknown) => void,
  accessVersion: { subscribe(listener: () => void): () => void } | null = null,
): { stop(): Promise<void> } {
  const stopped = new AbortController();
  let isStale = false;
  let running: Promise<void> | undefined;
  const changed = () => {
    isStale = true;
    running ??= catchUp();
  };
  const unsubscribe = signals.subscribe(({ kind }) => {
    if (kind === "access" || kind === "everything") changed();
  });
  const stopWatching = accessVersion?.subscribe(changed);

  async function catchUp(): Promise<void> {
    let wait = FIRST_WAIT_MS;
    while (isStale && !stopped.signal.aborted) {
      isStale = false;
      try {
        await reload();
        wait = FIRST_WAIT_MS;
      } catch (error) {
        isStale = true;
        onFailed(error);
        await delay(wait, undefined, { signal: stopped.signal, ref: false }).catch(() => {});
        wait = Math.min(2 * wait, LONGEST_WAIT_MS);
      }
    }
    // Without an await after the last look at isStale: the next signal must start a new run.
    running = undefined;
  }

  return {
    async stop() {
      unsubscribe();
      stopWatching?.();
      stopped.abort();
      await running;
    },
  };
}
