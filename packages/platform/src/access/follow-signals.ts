import { setTimeout as delay } from "node:timers/promises";
import type { RegistrySignals } from "../stores/registry/registry-signals.ts";

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5000;

/**
 * Reloads after every signal about projects and keys, one time after the other. What fails is tried
 * again until it works: a key that was revoked elsewhere must not go on because of a moment's failure.
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
    // At once: a signal that comes now must not believe that it is still running.
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
