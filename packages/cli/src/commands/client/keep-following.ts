import { setTimeout } from "node:timers/promises";
import { ApiFailure } from "../../api-client/api-failure.ts";
import type { Terminal } from "../../terminal/terminal.ts";

const FIRST_MS = 500;
const LONGEST_MS = 10_000;

/**
 * Follows a stream, and again after it has ended or broken: a platform that is started anew ends
 * every stream, and what is followed goes on. Ends when nobody reads the output any more.
 *
 * @param follow Reads one stream to its end, and calls `connected` once it has it.
 * @throws what went wrong the first time, and what will not pass by itself.
 */
export async function keepFollowing(
  terminal: Terminal,
  follow: (connected: () => void) => Promise<void>,
): Promise<void> {
  let wasConnected = false;
  let failures = 0;
  while (!terminal.unread.aborted) {
    try {
      await follow(() => {
        wasConnected = true;
        failures = 0;
      });
    } catch (error) {
      if (terminal.unread.aborted) return;
      // A platform that is not there at all is an error; one that was there may come back.
      if (!wasConnected || !mayPass(error)) throw error;
      failures++;
      if (failures === 1) {
        terminal.note(terminal.paintNote("yellow", "The connection was lost. Trying again …"));
      }
    }
    await pause(Math.min(LONGEST_MS, FIRST_MS * 2 ** failures), terminal.unread);
  }
}

/** The platform is away, busy, or starting. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof ApiFailure)) return false;
  const { why } = error;
  return why.kind !== "refused" || why.status >= 500 || why.status === 429;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {
    // Nobody reads any more: there is nothing to wait for.
  });
}
