/**
 * What the playground shows, in the address. Drafts and inputs, which may be long, are in the
 * fragment (see state/workspace-link.ts): it is never sent to the server.
 */
export interface PlaygroundSearch {
  /** The path of the route: `/summarize`. */
  readonly route?: string;
  /** What is compared, as names with commas: `default@3,env:production`. */
  readonly configs?: string;
  /** A recorded call whose configuration and inputs are taken over. */
  readonly span?: string;
}

export function parsePlaygroundSearch(search: Record<string, unknown>): PlaygroundSearch {
  const names = ["route", "configs", "span"] as const;
  const given = names.flatMap((name) => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  return Object.fromEntries(given);
}
