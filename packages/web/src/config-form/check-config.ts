import type { RouteSchema } from "@agate/protocol";
import { refusedBy, shownValue, unknownName } from "@agate/protocol";
import type { ConfigValues } from "./config-values.ts";
import { unknownFields } from "./config-values.ts";
import type { FieldProblem } from "./field-problem.ts";

/** What the server would refuse, in its own words. What is not there has its default. */
export function checkConfig(route: RouteSchema, values: ConfigValues): readonly FieldProblem[] {
  const refused = Object.entries(route.config).flatMap(([name, field]): FieldProblem[] => {
    if (!Object.hasOwn(values, name)) return [];
    const takes = refusedBy(field, values[name]);
    if (takes === undefined) return [];
    return [{ path: [name], message: `Takes ${takes}, not ${shownValue(values[name])}.` }];
  });
  const unknown = unknownFields(route, values).map((name) => ({
    path: [name],
    message: unknownName("field", name, Object.keys(route.config)),
  }));
  return [...refused, ...unknown];
}
