import type { Deployment } from "@agate/protocol";
import * as z from "zod/mini";
import type { Registry } from "../../../registry/registry.ts";
import { name, orNull } from "../../inputs/input-kinds.ts";
import type { Route } from "../../route.ts";
import { created, noContent, success } from "../../route.ts";
import {
  locationOf,
  message,
  outcomeAnswer,
  pageOf,
  pageQuery,
  pageRequest,
  registryRoute,
  revision,
} from "./registry-route.ts";

const ENVIRONMENT = "/registry/applications/{app}/environments/{environment}";

const PAGE = success("DeploymentList", "One page. `next_cursor` is null on the last.");
const LIVE = created("Deployment", "The deployment, which is live now.");

/** Which configurations are live, and which were. */
export function deploymentRoutes(registry: Registry, maxBodyBytes: number): Route[] {
  return [...historyRoutes(registry, maxBodyBytes), ...deployingRoutes(registry, maxBodyBytes)];
}

function historyRoutes({ deployments }: Registry, maxBodyBytes: number): Route[] {
  const query = () => pageQuery("deployments");
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: "/registry/applications/{app}/deployments",
      access: "read",
      id: "listDeployments",
      summary: "List the deployments of an application",
      description: "Of all its environments, newest first.",
      query,
      success: PAGE,
      errors: ["cursor_invalid"],
      answer: async ({ ref, query }, reply) =>
        outcomeAnswer(await deployments.list(ref, null, pageRequest(query)), (page) =>
          reply(pageOf("deployments", page)),
        ),
    }),
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: `${ENVIRONMENT}/deployments`,
      access: "read",
      id: "listEnvironmentDeployments",
      summary: "List the deployments of an environment",
      description: "Its history, newest first.",
      query,
      success: PAGE,
      errors: ["cursor_invalid"],
      answer: async ({ ref, params, query }, reply) =>
        outcomeAnswer(await deployments.list(ref, params.environment, pageRequest(query)), (page) =>
          reply(pageOf("deployments", page)),
        ),
    }),
  ];
}

function deployingRoutes(registry: Registry, maxBodyBytes: number): Route[] {
  const { deployments } = registry;
  return [
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${ENVIRONMENT}/deployments`,
      access: "admin",
      limitedTo: registry,
      id: "deployRevision",
      summary: "Deploy a revision",
      description:
        "Pins one revision: without a number the one that is the latest now. Refused if it does not satisfy the application's schema.",
      body: () =>
        z.strictObject({
          variant: name({ description: "Slug or id of the variant.", example: "default" }),
          revision: revision(),
          message: message(),
        }),
      success: LIVE,
      errors: ["variant_not_found", "revision_not_found", "config_invalid"],
      answer: async ({ ref, params, body, caller }, reply) => {
        const what = {
          variant: body.variant,
          revision: body.revision,
          by: caller.name,
          message: body.message ?? "",
        };
        const outcome = await deployments.deploy(ref, params.environment, what);
        return outcomeAnswer(outcome, (made) => reply(made, placeOf(made, params.app)));
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${ENVIRONMENT}/promote`,
      access: "admin",
      limitedTo: registry,
      id: "promoteRevision",
      summary: "Promote the revision of another environment",
      description: "Deploys what is live there.",
      body: () =>
        z.strictObject({
          from: name({
            description: "Slug or id of the environment whose revision is deployed.",
            example: "staging",
          }),
          message: message(),
        }),
      success: LIVE,
      errors: ["deployment_not_found", "config_invalid"],
      answer: async ({ ref, params, body, caller }, reply) => {
        const from = { from: body.from, by: caller.name, message: body.message ?? "" };
        const outcome = await deployments.promote(ref, params.environment, from);
        return outcomeAnswer(outcome, (made) => reply(made, placeOf(made, params.app)));
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${ENVIRONMENT}/rollback`,
      access: "admin",
      limitedTo: registry,
      id: "rollBack",
      summary: "Roll an environment back",
      description: "Deploys again what an earlier deployment of the environment had.",
      body: () =>
        z.strictObject({
          deployment: orNull(
            name({
              description:
                "Id of an earlier deployment of this environment. Without it, the one before that had another revision.",
            }),
          ),
          message: message(),
        }),
      success: LIVE,
      errors: ["deployment_not_found", "variant_not_found", "revision_not_found", "config_invalid"],
      answer: async ({ ref, params, body, caller }, reply) => {
        const to = { deployment: body.deployment, by: caller.name, message: body.message ?? "" };
        const outcome = await deployments.rollBack(ref, params.environment, to);
        return outcomeAnswer(outcome, (made) => reply(made, placeOf(made, params.app)));
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "DELETE",
      path: `${ENVIRONMENT}/deployment`,
      access: "admin",
      limitedTo: registry,
      id: "takeDown",
      summary: "Take down what is live in an environment",
      description: "Calls that ask for the environment are answered with 404 afterwards.",
      success: noContent("Nothing is live there."),
      errors: ["deployment_not_found"],
      answer: async ({ ref, params }, reply) =>
        outcomeAnswer(await deployments.takeDown(ref, params.environment), () => reply()),
    }),
  ];
}

/** A deployment is read as what is live in its environment, and in the history. */
function placeOf({ environment }: Deployment, app: string) {
  return locationOf(app, "environments", environment);
}
