import type { Workspace } from "./workspace.ts";
import { type PlainLink, readLink, readPlain, type WorkspaceLink } from "./workspace-link.ts";

/** Where the page keeps what was last set up for a route, in the same words as an address. */
export interface RoutePlace {
  readonly project: string | null;
  readonly app: string;
  readonly route: string;
}

/** What was last set up for a route. */
export interface KeptWorkspace {
  readonly workspace: Workspace;
  /** It came with a link, or from a recorded call, and was not edited since. */
  readonly isOpened: boolean;
}

const PREFIX = "agate-playground";

export function keepLink(
  place: RoutePlace,
  link: WorkspaceLink | PlainLink,
  isOpened: boolean,
): void {
  write(localStorage, linkKey(place), JSON.stringify({ ...link, ...(isOpened && { isOpened }) }));
}

/**
 * Keeps what an entry of the history has, for this tab: its address gets it a moment later, and is put
 * back by a reload that had begun before.
 */
export function keepForEntry(entry: string, link: WorkspaceLink | PlainLink): void {
  // Where there is no room for what is new, the address knows better than what was kept before.
  sessionStorage.removeItem(entryKey(entry));
  write(sessionStorage, entryKey(entry), JSON.stringify(link));
}

/** What the entry has; null where nothing was kept for it. */
export async function readForEntry(entry: string): Promise<Workspace | null> {
  const kept = sessionStorage.getItem(entryKey(entry));
  return kept === null ? null : readWorkspace(kept);
}

/** What was kept; null where nothing was, or nothing that can be read. */
export async function readKept(place: RoutePlace): Promise<KeptWorkspace | null> {
  const kept = localStorage.getItem(linkKey(place));
  if (kept === null) return null;
  const workspace = await readWorkspace(kept);
  return workspace && { workspace, isOpened: parseRecord(kept).isOpened === true };
}

/** Keeps what was kept under another name, where it stays until something else is put there. */
export function setAside(place: RoutePlace): void {
  const kept = localStorage.getItem(linkKey(place));
  if (kept !== null) write(localStorage, asideKey(place), kept);
}

export async function asideWorkspace(place: RoutePlace): Promise<Workspace | null> {
  const aside = localStorage.getItem(asideKey(place));
  return aside === null ? null : readWorkspace(aside);
}

export function forgetAside(place: RoutePlace): void {
  localStorage.removeItem(asideKey(place));
}

/** Where one was last, for the way back from elsewhere. */
export interface LastPlace {
  readonly app: string;
  readonly route: string;
}

export function keepLastPlace({ project, app, route }: RoutePlace): void {
  write(localStorage, lastKey(project), JSON.stringify({ app, route }));
}

export function lastPlace(project: string | null): LastPlace | null {
  const kept = localStorage.getItem(lastKey(project));
  if (kept === null) return null;
  const { app, route } = parseRecord(kept);
  return typeof app === "string" && typeof route === "string" ? { app, route } : null;
}

async function readWorkspace(text: string): Promise<Workspace | null> {
  const { configs, fragment, contents } = parseRecord(text);
  if (typeof configs !== "string") return null;
  const { columns, cases } =
    typeof fragment === "string"
      ? await readLink(configs, fragment)
      : readPlain({ configs, contents });
  return columns && cases && { columns, cases };
}

function parseRecord(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    // Another program on this origin, or an older page, wrote it.
    return {};
  }
}

function linkKey({ project, app, route }: RoutePlace): string {
  return [PREFIX, project ?? "", app, route].map(encodeURIComponent).join(":");
}

function asideKey(place: RoutePlace): string {
  return `${linkKey(place)}:aside`;
}

function entryKey(entry: string): string {
  return [PREFIX, "entry", entry].map(encodeURIComponent).join(":");
}

function lastKey(project: string | null): string {
  return [PREFIX, "last", project ?? ""].map(encodeURIComponent).join(":");
}

function write(storage: Storage, key: string, text: string): void {
  try {
    storage.setItem(key, text);
  } catch {
    // Full, or readOnlyReason: the address has everything as well.
  }
}
