import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { applicationKey } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { watchChanges } from "./watch-changes.ts";

/**
 * Has everything that is shown of an application read anew when somebody changes it elsewhere: a
 * colleague, the command line. For pages about it.
 */
export function useApplicationChanges(app: string): void {
  const client = usePlatform();
  const queries = useQueryClient();
  // Browsers open six connections to a platform at most: tabs that nobody looks at must hold none.
  const isVisible = useSyncExternalStore(subscribeVisibility, () => !document.hidden);
  useEffect(() => {
    if (!isVisible) return;
    const end = new AbortController();
    void watchChanges(
      client,
      app,
      () => void queries.invalidateQueries({ queryKey: applicationKey(client, app) }),
      end.signal,
    );
    return () => end.abort();
  }, [client, queries, app, isVisible]);
}

function subscribeVisibility(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}
