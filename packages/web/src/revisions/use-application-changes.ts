import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { ApiError } from "../api/api-error.ts";
import { applicationKey } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { usePageVisible } from "../design/browser-state.ts";
import { watchChanges } from "./watch-changes.ts";

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
