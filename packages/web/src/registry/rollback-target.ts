import type { Deployment } from "@agate/protocol";

/**
 * Where an environment goes back to: the last deployment with another revision than the one that is
 * live; where nothing is live, the last that was.
 */
export function rollbackTarget(newestFirst: readonly Deployment[]): Deployment | undefined {
  const live = newestFirst.find(({ ended_at }) => ended_at === null);
  if (live === undefined) return newestFirst[0];
  return newestFirst.find(
    ({ variant }) => variant.id !== live.variant.id || variant.revision !== live.variant.revision,
  );
}
