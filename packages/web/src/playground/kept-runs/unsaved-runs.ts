import type { KeptCell } from "./kept-limits.ts";

const PREFIX = "agate-playground:unsaved:";

/** The outputs of a workspace that were not in IndexedDB yet when the user left the page. */
export interface UnsavedRuns {
  /** As {@link workspaceText}. */
  readonly workspace: string;
  readonly cells: readonly KeptCell[];
  readonly savedAt: number;
}

/**
 * Leaves outputs for the page that this tab loads next. Browsers abort writes to IndexedDB when a page is
 * left; this write is synchronous.
 */
export function putUnsaved(place: string, unsaved: UnsavedRuns): void {
  // If the storage is full, IndexedDB is newer than the old value.
  sessionStorage.removeItem(PREFIX + place);
  try {
    sessionStorage.setItem(PREFIX + place, JSON.stringify(unsaved));
  } catch {
    // Too long for the storage: the next page shows the outputs of the last save.
  }
}

/** Null if nothing readable is stored. */
export function readUnsaved(place: string): UnsavedRuns | null {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + place) ?? "null");
  } catch {
    // Written by another program on this origin.
    return null;
  }
}

/** Deletes outputs that are older than a save, and therefore in IndexedDB. */
export function removeUnsaved(place: string, savedAt: number): void {
  const unsaved = readUnsaved(place);
  if (unsaved !== null && unsaved.savedAt < savedAt) sessionStorage.removeItem(PREFIX + place);
}

/** Deletes the outputs of all routes. */
export function clearUnsaved(): void {
  const keys = Array.from({ length: sessionStorage.length }, (_, n) => sessionStorage.key(n) ?? "");
  for (const key of keys) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}
