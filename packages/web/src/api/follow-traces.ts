import type { ListedSpan } from "@agate/protocol";
import { ApiError } from "./api-error.ts";
import type { PlatformClient } from "./platform-client.ts";
import { readEvents } from "./read-events.ts";

export interface TraceListener {
  /** The stream is open: from here on nothing is missed. */
  opened(): void;
  /** A trace is new, or was added to. */
  changed(record: ListedSpan): void;
  /** More changed than could be told. */
  lagged(): void;
  /** The stream broke, and is opened again by itself after a while. */
  broken(): void;
}

const LONGEST_WAIT_MS = 15_000;

/** How long to wait before the stream is opened again: twice as long every time. */
export function retryDelay(failures: number): number {
  return Math.min(1000 * 2 ** Math.max(0, failures - 1), LONGEST_WAIT_MS);
}

/** Listens to what changes among the traces until the signal fires. */
export async function followTraces(
  client: PlatformClient,
  listener: TraceListener,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      const response = await client.open("GET", "/observability/live/", undefined, {
        headers: { accept: "text/event-stream" },
        signal,
      });
      failures = 0;
      listener.opened();
      await readChanges(response, listener);
    } catch (error) {
      // A key that may not read will not be let in later either.
      if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return;
    }
    if (signal.aborted) return;
    listener.broken();
    await wait(retryDelay(failures), signal);
  }
}

async function readChanges(response: Response, listener: TraceListener): Promise<void> {
  for await (const { event, data } of readEvents(response)) {
    if (event === "lagged") listener.lagged();
    else if (event === "trace" || event === "update") listener.changed(data as ListedSpan);
  }
}

/** Ends early when the signal fires. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = () => {
    clearTimeout(timer);
    resolve();
  };
  signal.addEventListener("abort", stop, { once: true });
  return promise;
}
