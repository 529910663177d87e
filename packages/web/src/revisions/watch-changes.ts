import { applicationPath } from "../api/applications.ts";
import type { PlatformClient } from "../api/platform-client.ts";
import { readEvents } from "../api/read-events.ts";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/**
 * Calls back whenever something of an application may have changed: at every event of the platform, at
 * every connection, since what happened before it is not told, and while there is none, every so often.
 */
export async function watchChanges(
  client: Pick<PlatformClient, "open">,
  app: string,
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> {
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    try {
      const response = await client.open("GET", `${applicationPath(app)}/changes`, undefined, {
        signal,
        headers: { accept: "text/event-stream" },
      });
      wait = FIRST_WAIT_MS;
      onChange();
      for await (const { event } of readEvents(response)) {
        if (event === "config") onChange();
      }
    } catch {
      // Away, or refused: whoever shows the application says so. It is asked again below.
    }
    if (signal.aborted) return;
    onChange();
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
