import type { Deployment, RegistryVariant } from "@agate/protocol";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { deploymentsQuery, variantsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { isSamePair, movedPair } from "../revisions/live-plan.ts";

/**
 * The deployment that a roll-back returns to: the last one with another build or revision than the live
 * one, or the last one if nothing is live. Deployments of deleted variants are skipped.
 */
export function rollbackTarget(
  newestFirst: readonly Deployment[],
  variants: readonly RegistryVariant[],
): Deployment | undefined {
  const live = newestFirst.find(({ ended_at }) => ended_at === null);
  return newestFirst.find(
    (earlier) =>
      variants.some(({ id }) => id === earlier.variant.id) &&
      (live === undefined || !isSamePair(movedPair(earlier, live, "both"), live)),
  );
}

/** The roll-back target among the loaded deployments; undefined if there is none. */
export function useRollbackTarget(app: string, environment: string): Deployment | undefined {
  const client = usePlatform();
  const history = useInfiniteQuery(deploymentsQuery(client, app, environment));
  const variants = useQuery(variantsQuery(client, app));
  const deployments = (history.data?.pages ?? []).flatMap(({ items }) => items);
  return rollbackTarget(deployments, variants.data ?? []);
}
