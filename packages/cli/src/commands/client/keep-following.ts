import { reconnect } from "@agate/protocol/client";
import { ApiFailure } from "../../api-client/api-failure.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/**
 * Follows a stream and reconnects when it ends or breaks: a restart of the platform ends every stream.
 * Returns when the reader of standard output is gone.
 *
 * @param follow Reads one stream to its end, and calls `connected` once it is open.
 * @throws what the first connection throws, and any later failure that is not transient.
 */
export async function keepFollowing(
  terminal: Terminal,
  follow: (connected: () => void) => Promise<void>,
): Promise<void> {
  let wasConnected = false;
  let hasFailed = false;
  await reconnect({
    connect: (established) =>
      follow(() => {
        wasConnected = true;
        hasFailed = false;
        established();
      }),
    isTransient: (error) => {
      // A platform that never answered is an error; one that did may be restarting.
      if (!wasConnected || !isTransient(error)) return false;
      if (!hasFailed) terminal.note(terminal.paintNote("yellow", "Connection lost. Reconnecting…"));
      hasFailed = true;
      return true;
    },
    signal: terminal.unread,
  });
}

/** The platform is down, overloaded or starting. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof ApiFailure)) return false;
  const { why } = error;
  return why.kind !== "refused" || why.status >= 500 || why.status === 429;
}
