import type { Registry } from "../../../registry/registry.ts";
import type { ChangeStreams } from "../../changes/change-streams.ts";
import type { Route } from "../../route.ts";
import { applicationSchemaRoutes } from "./application-schema.ts";
import { changesRoute, configRoute } from "./config.ts";
import { deploymentRoutes } from "./deployments.ts";
import { applicationRoutes, environmentRoutes, variantRoutes } from "./resources.ts";
import { diffRoute, forkRoute, revisionRoutes } from "./revisions.ts";

export interface RegistryRouteDependencies {
  readonly registry: Registry;
  readonly changes: ChangeStreams;
  /** Of a request's body. */
  readonly maxBodyBytes: number;
}

/** Applications and their configurations, in the order of docs/reference/registry-api.md. */
export function registryRoutes(dependencies: RegistryRouteDependencies): readonly Route[] {
  const { registry, changes, maxBodyBytes } = dependencies;
  return [
    ...applicationRoutes(registry, maxBodyBytes),
    ...applicationSchemaRoutes(registry, maxBodyBytes),
    ...variantRoutes(registry, maxBodyBytes),
    forkRoute(registry, maxBodyBytes),
    ...revisionRoutes(registry, maxBodyBytes),
    diffRoute(registry, maxBodyBytes),
    ...environmentRoutes(registry, maxBodyBytes),
    ...deploymentRoutes(registry, maxBodyBytes),
    configRoute(registry, maxBodyBytes),
    changesRoute(registry, changes, maxBodyBytes),
  ];
}
