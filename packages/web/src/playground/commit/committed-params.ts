import type { RouteParams, RouteSchema } from "@agate/protocol";
import type { ConfigValues } from "../../config-form/config-values.ts";
import { ownField } from "../state/own-field.ts";

/**
 * What is committed: the configuration of this route, and the base's of every other. What no route
 * takes any more is left out, because the registry would refuse it; the diff shows that.
 */
export function committedParams(
  routes: readonly RouteSchema[],
  base: RouteParams,
  route: string,
  values: ConfigValues,
): RouteParams {
  const entries = routes.flatMap(({ route: path, config }) => {
    const given = path === route ? values : ownField(base, path);
    if (given === undefined) return [];
    const known = Object.entries(given).filter(([field]) => Object.hasOwn(config, field));
    return [[path, Object.fromEntries(known)] as const];
  });
  return Object.fromEntries(entries);
}
