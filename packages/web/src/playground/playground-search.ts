/**
 * The playground's search parameters. Drafts and inputs, which may be long, are in the fragment
 * (see state/workspace-link.ts), which browsers never send to the server.
 */
export interface PlaygroundSearch {
  /** The path of the route: `/summarize`. */
  readonly route?: string;
  /** The compared configurations: `default@3,env:production`. */
  readonly configs?: string;
  /** The environment whose build is called; without it the platform chooses. */
  readonly environment?: string;
  /** A recorded call to copy configuration and inputs from. */
  readonly span?: string;
}

export function parsePlaygroundSearch(search: Record<string, unknown>): PlaygroundSearch {
  const names = ["route", "configs", "environment", "span"] as const;
  const given = names.flatMap((name) => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  return Object.fromEntries(given);
}
