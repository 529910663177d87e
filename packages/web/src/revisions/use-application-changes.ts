import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { ApiError } from "../api/api-error.ts";
import { applicationKey, applicationPath } from "../api/applications.ts";
import { type EventListener, followEvents } from "../api/follow-events.ts";
import type { PlatformClient } from "../api/platform-client.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { usePageVisible } from "../design/browser-state.ts";

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/**
 * Has everything that is shown of an application read anew when somebody changes it elsewhere: a
 * colleague, the command line. For pages about it.
 */
export function useApplicationChanges(app: string): void {
  const client = usePlatform();
  const queries = useQueryClient();
  const isVisible = usePageVisible();
  useEffect(() => {
    if (!isVisible) return;
    const end = new AbortController();
    void watchChanges(
      client,
      app,
      (reason) =>
        void queries.invalidateQueries({
          queryKey: applicationKey(client, app),
          // What is not there stays so until something changes. A query without data forgets its error
          // when it is sent again: a skeleton would take the place of the page that says so.
          predicate: ({ state }) => reason === "event" || !isNotFound(state.error),
        }),
      end.signal,
    );
    return () => end.abort();
  }, [client, queries, app, isVisible]);
}

/** An event of the platform; or a connection that was made or lost, before which events were missed. */
type ChangeReason = "event" | "connection";

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
