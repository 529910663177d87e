import type { Deployment } from "@agate/protocol";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { deploymentsQuery, variantsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { rollbackTarget } from "./rollback-target.ts";

/** Where an environment goes back to, as far as its history is read; undefined where there is nothing. */
export function useRollbackTarget(app: string, environment: string): Deployment | undefined {
  const client = usePlatform();
  const history = useInfiniteQuery(deploymentsQuery(client, app, environment));
  const variants = useQuery(variantsQuery(client, app));
  const deployments = (history.data?.pages ?? []).flatMap(({ items }) => items);
  return rollbackTarget(deployments, variants.data ?? []);
}
