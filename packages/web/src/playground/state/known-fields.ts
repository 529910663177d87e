import type { RouteSchema } from "@agate/protocol";
import type { ConfigValues } from "../../config-form/config-values.ts";

/**
 * The fields that the route has. A stored configuration may have others, of an older build: a
 * deployed call ignores them, a playground call would be refused.
 */
export function knownFields(route: RouteSchema, values: ConfigValues = {}): ConfigValues {
  return Object.fromEntries(
    Object.entries(values).filter(([field]) => Object.hasOwn(route.config, field)),
  );
}
