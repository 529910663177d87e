import type { Route } from "../route.ts";
import { buildRoutes } from "./builds.ts";
import { deployBuildRoute } from "./deploy-build.ts";
import type { DeploymentRouteDependencies } from "./deployment-route-dependencies.ts";
import { logsRoute } from "./logs.ts";
import { serviceRoutes } from "./service-routes.ts";

/** Code: deploying it, its logs, and calling it. */
export function deploymentRoutes(dependencies: DeploymentRouteDependencies): readonly Route[] {
  return [
    deployBuildRoute(dependencies),
    ...buildRoutes(dependencies).map(asDeployment),
    asDeployment(logsRoute(dependencies)),
    ...serviceRoutes(),
  ];
}

/** They are read as the registry's are, and listed with deployments. */
function asDeployment(route: Route): Route {
  return { ...route, operation: { ...route.operation, tag: "deployments" } };
}
