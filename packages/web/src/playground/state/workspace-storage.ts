import type { Workspace } from "./workspace.ts";
import { type PlainLink, readLink, readPlain, type WorkspaceLink } from "./workspace-link.ts";

/** Identifies the stored workspace of a route. */
export interface RoutePlace {
  readonly project: string | null;
  readonly app: string;
  readonly route: string;
}

/** The stored workspace of a route. */
export interface KeptWorkspace {
  readonly workspace: Workspace;
  /** It came from a link or a recorded call, and was not edited. */
  readonly isOpened: boolean;
}

const PREFIX = "agate-playground";
const LEFT_KEY = `${PREFIX}:left`;

export function keepLink(
  place: RoutePlace,
  link: WorkspaceLink | PlainLink,
  isOpened: boolean,
): void {
  write(localStorage, linkKey(place), JSON.stringify({ ...link, ...(isOpened && { isOpened }) }));
}

/**
 * Stores the workspace of a history entry for this tab. Its address is written a moment later, and a
 * reload in between would restore the old address.
 */
export function keepForEntry(entry: string, link: WorkspaceLink | PlainLink): void {
  // If the storage is full, the address is newer than the old value.
  sessionStorage.removeItem(entryKey(entry));
  write(sessionStorage, entryKey(entry), JSON.stringify(link));
}

/** Null if nothing is stored for the entry. */
export async function readForEntry(entry: string): Promise<Workspace | null> {
  const kept = sessionStorage.getItem(entryKey(entry));
  return kept === null ? null : readWorkspace(kept);
}

/**
 * Remembers the shown history entry while the page is left: Chromium forgets the state of an entry that
 * is reloaded while its address is being written.
 */
export function keepLeftEntry(place: RoutePlace, entry: string): void {
  write(sessionStorage, LEFT_KEY, JSON.stringify({ place: linkKey(place), entry }));
}

/** The entry that was shown before this reload, once; null otherwise. */
export function takeLeftEntry(place: RoutePlace): string | null {
  const left = sessionStorage.getItem(LEFT_KEY);
  if (left === null) return null;
  sessionStorage.removeItem(LEFT_KEY);
  const [loading] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (loading?.type !== "reload") return null;
  const { place: ofPlace, entry } = parseRecord(left);
  return ofPlace === linkKey(place) && typeof entry === "string" ? entry : null;
}

/** Null if nothing readable is stored. */
export async function readKept(place: RoutePlace): Promise<KeptWorkspace | null> {
  const kept = localStorage.getItem(linkKey(place));
  if (kept === null) return null;
  const workspace = await readWorkspace(kept);
  return workspace && { workspace, isOpened: parseRecord(kept).isOpened === true };
}

/** Copies the stored workspace to a second key, where it stays until the next one is set aside. */
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

/** The application and route that were used last. */
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
    // Written by another program on this origin or by an older version.
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
    // Full, or blocked: the address has everything as well.
  }
}
