import { readLink, type WorkspaceLink } from "./workspace-link.ts";

/** Where the page keeps what was last set up for a route, in the same words as an address. */
export interface RoutePlace {
  readonly project: string | null;
  readonly app: string;
  readonly route: string;
}

const PREFIX = "agate-playground";

export function keepLink(place: RoutePlace, link: WorkspaceLink): void {
  write(linkKey(place), JSON.stringify(link));
}

/** What was kept; null where nothing was, or nothing that can be read. */
export async function keptWorkspace(place: RoutePlace): ReturnType<typeof readLink> {
  const kept = localStorage.getItem(linkKey(place));
  const link = kept === null ? null : parseLink(kept);
  return readLink(link?.configs, link?.fragment ?? "");
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

function parseLink(text: string): WorkspaceLink | null {
  const { configs, fragment } = parseRecord(text);
  return typeof configs === "string" && typeof fragment === "string" ? { configs, fragment } : null;
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
