import { setTimeout } from "node:timers/promises";
import { StoreUnavailableError } from "../stores/store-errors.ts";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

export interface RetryOptions {
  /** The store's name, for messages. */
  readonly name: string;
  /** How long the store may be unavailable. */
  readonly longestMs: number;
  readonly signal: AbortSignal;
  /** Called before each retry. */
  readonly onWaiting: (reason: string) => void;
}

/**
 * Calls a store, and retries with back-off while the store is unavailable.
 *
 * @throws StoreUnavailableError that names the store, when it stays unavailable; the signal's reason when
 * it fires.
 */
export async function retryWhileUnavailable<Value>(
  { name, longestMs, signal, onWaiting }: RetryOptions,
  ask: () => Promise<Value>,
): Promise<Value> {
  const since = performance.now();
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      const reason = `${name}: ${error.reason}`;
      if (performance.now() - since >= longestMs) {
        throw new StoreUnavailableError(reason, { cause: error });
      }
      onWaiting(reason);
      await waitFor(pause, signal);
    }
  }
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal });
  } catch {
    signal.throwIfAborted();
  }
}
