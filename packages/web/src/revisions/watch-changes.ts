import { applicationPath } from "../api/applications.ts";
import { type EventListener, followEvents } from "../api/follow-events.ts";
import type { PlatformClient } from "../api/platform-client.ts";

/** An event of the platform; or a connection that was made or lost, before which events were missed. */
export type ChangeReason = "event" | "connection";

/**
 * Calls back whenever something of an application may have changed: at every event of the platform, at
 * every connection, since what happened before it is not told, and while there is none, every so often.
 */
export function watchChanges(
  client: Pick<PlatformClient, "open">,
  app: string,
  onChange: (reason: ChangeReason) => void,
  signal: AbortSignal,
): Promise<void> {
  const listener: EventListener = {
    opened: () => onChange("connection"),
    event: ({ event }) => {
      if (event === "config") onChange("event");
    },
    broken: () => onChange("connection"),
  };
  return followEvents(client, `${applicationPath(app)}/changes`, listener, signal);
}
