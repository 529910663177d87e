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
 * Reloads everything that a page shows of an application when it changes elsewhere: a colleague, the
 * command line.
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
          // A 404 stays a 404 until an event. Refetching a query without data clears its error: a
          // skeleton would replace the error page.
          predicate: ({ state }) => reason === "event" || !isNotFound(state.error),
        }),
      end.signal,
    );
    return () => end.abort();
  }, [client, queries, app, isVisible]);
}

/** An event of the platform, or a connection that opened or broke, so that events may be missing. */
type ChangeReason = "event" | "connection";

/**
 * Calls back whenever an application may have changed: on every event, on every connection, because earlier
 * events are not repeated, and on every failed attempt to connect.
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
