import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { applicationKey } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { usePageVisible } from "../design/use-page-visible.ts";
import { watchChanges } from "./watch-changes.ts";

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
      () => void queries.invalidateQueries({ queryKey: applicationKey(client, app) }),
      end.signal,
    );
    return () => end.abort();
  }, [client, queries, app, isVisible]);
}
