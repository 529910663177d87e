import type { Registry } from "../../../registry/registry.ts";
import type { ChangeStreams } from "../../changes/change-streams.ts";
import type { Route } from "../route.ts";
import { applicationSchemaRoutes } from "./application-schema.ts";
import { applicationRoutes } from "./applications.ts";
import { changeRoutes } from "./changes.ts";
import { configRoutes } from "./config.ts";
import { deploymentRoutes } from "./deployments.ts";
import { diffRoutes } from "./diff.ts";
import { environmentRoutes } from "./environments.ts";
import { revisionRoutes } from "./revisions.ts";
import { variantRoutes } from "./variants.ts";

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
    ...revisionRoutes(registry, maxBodyBytes),
    ...diffRoutes(registry, maxBodyBytes),
    ...environmentRoutes(registry, maxBodyBytes),
    ...deploymentRoutes(registry, maxBodyBytes),
    ...configRoutes(registry, maxBodyBytes),
    ...changeRoutes(registry, changes, maxBodyBytes),
  ];
}
