import type { Workspace } from "./workspace.ts";
import { readLink, type WorkspaceLink } from "./workspace-link.ts";

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

export function keepLink(place: RoutePlace, link: WorkspaceLink, isOpened: boolean): void {
  write(linkKey(place), JSON.stringify({ ...link, ...(isOpened && { isOpened }) }));
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
  if (kept !== null) write(asideKey(place), kept);
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
  write(lastKey(project), JSON.stringify({ app, route }));
}

export function lastPlace(project: string | null): LastPlace | null {
  const kept = localStorage.getItem(lastKey(project));
  if (kept === null) return null;
  const { app, route } = parseRecord(kept);
  return typeof app === "string" && typeof route === "string" ? { app, route } : null;
}

async function readWorkspace(text: string): Promise<Workspace | null> {
  const { configs, fragment } = parseRecord(text);
  if (typeof configs !== "string" || typeof fragment !== "string") return null;
  const { columns, cases } = await readLink(configs, fragment);
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

function lastKey(project: string | null): string {
  return [PREFIX, "last", project ?? ""].map(encodeURIComponent).join(":");
}

function write(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Full, or forbidden: the address has everything as well.
  }
}
