import type { RouteParams, RouteSchema } from "@agate/protocol";
import { type ConfigValues, knownFields, ownField } from "../../config-form/config-values.ts";

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
  const entries = routes.flatMap((schema) => {
    const given = schema.route === route ? values : ownField(base, schema.route);
    return given === undefined ? [] : [[schema.route, knownFields(schema, given)] as const];
  });
  return Object.fromEntries(entries);
}
