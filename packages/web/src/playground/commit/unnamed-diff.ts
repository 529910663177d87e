import type { ConfigDiff, RouteDiff } from "@agate/protocol";

const NOBODY = { id: "", slug: "", revision: 0 };

/** A diff of configurations that the registry does not know, for views of those that it does. */
export function unnamedDiff(routes: readonly RouteDiff[]): ConfigDiff {
  return { from: NOBODY, to: NOBODY, routes };
}
