import type { ZodNode } from "./zod-node.ts";

/** What zod's own checks, such as `.min(1)` of a string, say about a default: zod itself never asks. */
export function defaultProblem(node: ZodNode, value: unknown): string | undefined {
  // A refinement may be anything, a call over the network as well: not while modules are loaded.
  if (value === undefined || hasRefinement(node)) return undefined;
  const result = node["~standard"].validate(value);
  if (!(result instanceof Promise)) return result.issues?.[0]?.message;
  // A check that throws makes zod try again in its own time. It will throw at the first call as well,
  // where a client waits for the response.
  result.catch(() => undefined);
  return undefined;
}

/** Whether a schema, or one inside of it, has a check that is a function of its author. */
function hasRefinement({ _zod: { def } }: ZodNode): boolean {
  return (
    (def.checks ?? []).some(({ _zod: { def: check } }) => check.check === "custom") ||
    [def.innerType, def.element, ...(def.options ?? []), ...Object.values(def.shape ?? {})].some(
      (inner) => inner !== undefined && hasRefinement(inner),
    )
  );
}
