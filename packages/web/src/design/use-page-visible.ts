import { useSyncExternalStore } from "react";

/**
 * Whether anyone can see the page. Browsers open six connections to a platform at most: tabs that nobody
 * looks at should hold none.
 */
export function usePageVisible(): boolean {
  return useSyncExternalStore(subscribe, () => !document.hidden);
}

function subscribe(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}
