import type { RouteSchema } from "@agate/protocol";
import { configFaults } from "@agate/protocol";
import type { ConfigValues } from "./config-values.ts";
import type { FieldProblem } from "./field-problem.ts";

/** What the server would refuse, in its own words. What is not there has its default. */
export function checkConfig(route: RouteSchema, values: ConfigValues): readonly FieldProblem[] {
  return [...configFaults(route.config, values)].map(({ path, message }) => ({ path, message }));
}
