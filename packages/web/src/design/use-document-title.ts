import { useSyncExternalStore } from "react";

/** What the browser's tab says. */
export function useDocumentTitle(): string {
  return useSyncExternalStore(subscribe, () => document.title);
}

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.head, { childList: true, characterData: true, subtree: true });
  return () => observer.disconnect();
}
