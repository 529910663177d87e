import type { Deployment, RegistryVariant } from "@agate/protocol";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { deploymentsQuery, variantsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
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

/** Where an environment goes back to, as far as its history is read; undefined where there is nothing. */
export function useRollbackTarget(app: string, environment: string): Deployment | undefined {
  const client = usePlatform();
  const history = useInfiniteQuery(deploymentsQuery(client, app, environment));
  const variants = useQuery(variantsQuery(client, app));
  const deployments = (history.data?.pages ?? []).flatMap(({ items }) => items);
  return rollbackTarget(deployments, variants.data ?? []);
}
