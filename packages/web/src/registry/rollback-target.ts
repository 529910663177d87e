import type { Deployment, RegistryVariant } from "@agate/protocol";
import { isSameRevision } from "../revisions/live-plan.ts";

/**
 * Where an environment goes back to: the last deployment with another revision than the one that is
 * live; where nothing is live, the last that was. What ran a variant that is deleted cannot run again.
 */
export function rollbackTarget(
  newestFirst: readonly Deployment[],
  variants: readonly RegistryVariant[],
): Deployment | undefined {
  const live = newestFirst.find(({ ended_at }) => ended_at === null);
  return newestFirst.find(
    ({ variant }) =>
      variants.some(({ id }) => id === variant.id) &&
      (live === undefined || !isSameRevision(variant, live.variant)),
  );
}
