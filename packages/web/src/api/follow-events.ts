import { ApiError } from "./api-error.ts";
import type { PlatformClient } from "./platform-client.ts";
import { readEvents, type StreamEvent } from "./read-events.ts";

export interface EventListener {
  /** The stream is open: from here on nothing is missed. */
  opened(): void;
  event(event: StreamEvent): void;
  /** The stream broke. It is opened again after a while, unless the platform answered 404. */
  broken(): void;
}

const LONGEST_WAIT_MS = 15_000;

/** How long to wait before a stream is opened again: twice as long every time. */
export function retryDelay(failures: number): number {
  return Math.min(1000 * 2 ** Math.max(0, failures - 1), LONGEST_WAIT_MS);
}

/** Listens to a stream of the platform's until the signal fires. */
export async function followEvents(
  client: Pick<PlatformClient, "open">,
  path: string,
  listener: EventListener,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      const response = await client.open("GET", path, undefined, {
        headers: { accept: "text/event-stream" },
        signal,
      });
      failures = 0;
      listener.opened();
      for await (const event of readEvents(response)) listener.event(event);
    } catch (error) {
      // A key that may not read will not be let in later either.
      if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return;
      // Deleted, renamed or never there: the listener reads that once, and nothing is asked again.
      if (error instanceof ApiError && error.status === 404) return listener.broken();
      // Unreachable or overloaded: the stream is opened again below.
    }
    if (signal.aborted) return;
    listener.broken();
    await wait(retryDelay(failures), signal);
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
