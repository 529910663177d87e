import type { ResolvedConfig } from "@agate/protocol";

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});

/** A route's configuration in a revision; empty, so all defaults, where the revision does not mention it. */
export function configOfRoute(
  resolved: Pick<ResolvedConfig, "params">,
  route: string,
): Readonly<Record<string, unknown>> {
  // `hasOwn`: what a JSON document inherits is none of its contents.
  return (Object.hasOwn(resolved.params, route) ? resolved.params[route] : undefined) ?? NOTHING;
}
