import type { ConfigNote } from "./build.ts";
import type { RouteParams } from "./revision.ts";
import type { RouteSchema } from "./route-schema.ts";

/** A list that can still be read. */
const MAX_NOTES = 100;

/** What a build makes of a revision beyond taking its values. */
export function configNotes(
  params: RouteParams,
  routes: readonly RouteSchema[],
): readonly ConfigNote[] {
  const byRoute = new Map(routes.map((each) => [each.route, each.config]));
  const ignored = Object.entries(params).flatMap(([route, values]): ConfigNote[] => {
    const fields = byRoute.get(route);
    if (fields === undefined) return [{ kind: "ignored", route, field: null }];
    return Object.keys(values)
      .filter((field) => !Object.hasOwn(fields, field))
      .map((field) => ({ kind: "ignored", route, field }));
  });
  const defaults = routes.flatMap(({ route, config }): ConfigNote[] => {
    // Own properties only: every object inherits a `constructor`.
    const values = Object.hasOwn(params, route) ? (params[route] ?? {}) : {};
    return Object.entries(config)
      .filter(([field, { default: value }]) => !Object.hasOwn(values, field) && value !== undefined)
      .map(([field, { default: value }]) => ({ kind: "default", route, field, value }));
  });
  return [...ignored, ...defaults].slice(0, MAX_NOTES);
}
