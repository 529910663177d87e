import type { Deployment } from "@agate/protocol";
import type { Registry } from "../../../registry/registry.ts";
import type { RegistryOutcome } from "../../../registry/registry-outcome.ts";
import type { Answer } from "../../answer.ts";
import { nameField, optional } from "../../body/field-kinds.ts";
import type { Route } from "../route.ts";
import { MESSAGE, REVISION } from "./body-fields.ts";
import { encodePageCursor, pageParameters, pageRequest } from "./page-parameters.ts";
import {
  createdAnswer,
  documented,
  documentedCreation,
  doneAnswer,
  outcomeAnswer,
  pageAnswer,
} from "./registry-answer.ts";
import { registryRoute } from "./registry-route.ts";

const ENVIRONMENT = "/registry/applications/{app}/environments/{environment}";

const PAGE = documented("DeploymentList", "One page. `next_cursor` is null on the last.");
const LIVE = documentedCreation("Deployment", "The deployment, which is live now.");

const VARIANT = nameField({ description: "Slug or id of the variant.", example: "default" });
const FROM = nameField({
  description: "Slug or id of the environment whose revision is deployed.",
  example: "staging",
});
const DEPLOYMENT = optional(
  nameField({
    description:
      "Id of an earlier deployment of this environment. Without it, the one before that had another revision.",
  }),
);

export function deploymentRoutes({ deployments }: Registry, maxBodyBytes: number): Route[] {
  const page = (outcome: Awaited<ReturnType<typeof deployments.list>>): Answer =>
    outcomeAnswer(outcome, (found) =>
      pageAnswer(found, (before) => encodePageCursor("deployments", before)),
    );
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: "/registry/applications/{app}/deployments",
      access: "read",
      id: "listDeployments",
      summary: "List the deployments of an application",
      description: "Of all its environments, newest first.",
      query: pageParameters("deployments"),
      success: PAGE,
      errors: ["cursor_invalid"],
      answer: async ({ ref, query }) => page(await deployments.list(ref, null, pageRequest(query))),
    }),
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: `${ENVIRONMENT}/deployments`,
      access: "read",
      id: "listEnvironmentDeployments",
      summary: "List the deployments of an environment",
      description: "Its history, newest first.",
      query: pageParameters("deployments"),
      success: PAGE,
      errors: ["cursor_invalid"],
      answer: async ({ ref, path, query }) =>
        page(await deployments.list(ref, path.environment, pageRequest(query))),
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${ENVIRONMENT}/deployments`,
      access: "admin",
      id: "deployRevision",
      summary: "Deploy a revision",
      description:
        "Pins one revision: without a number the one that is the latest now. Refused if it does not satisfy the application's schema.",
      body: { variant: VARIANT, revision: REVISION, message: MESSAGE },
      success: LIVE,
      errors: ["variant_not_found", "revision_not_found", "config_invalid"],
      answer: async ({ ref, path, body, caller }) => {
        const { variant, revision } = body;
        const what = { variant, revision, by: caller.name, message: body.message ?? "" };
        return live(await deployments.deploy(ref, path.environment, what), path.app);
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${ENVIRONMENT}/promote`,
      access: "admin",
      id: "promoteRevision",
      summary: "Promote the revision of another environment",
      description: "Deploys what is live there.",
      body: { from: FROM, message: MESSAGE },
      success: LIVE,
      errors: ["deployment_not_found", "config_invalid"],
      answer: async ({ ref, path, body, caller }) => {
        const from = { from: body.from, by: caller.name, message: body.message ?? "" };
        return live(await deployments.promote(ref, path.environment, from), path.app);
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${ENVIRONMENT}/rollback`,
      access: "admin",
      id: "rollBack",
      summary: "Roll an environment back",
      description: "Deploys again what an earlier deployment of the environment had.",
      body: { deployment: DEPLOYMENT, message: MESSAGE },
      success: LIVE,
      errors: ["deployment_not_found", "variant_not_found", "revision_not_found", "config_invalid"],
      answer: async ({ ref, path, body, caller }) => {
        const to = { deployment: body.deployment, by: caller.name, message: body.message ?? "" };
        return live(await deployments.rollBack(ref, path.environment, to), path.app);
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "DELETE",
      path: `${ENVIRONMENT}/deployment`,
      access: "admin",
      id: "takeDown",
      summary: "Take down what is live in an environment",
      description: "Calls that ask for the environment are answered with 404 afterwards.",
      success: { status: 204, description: "Nothing is live there." },
      errors: ["deployment_not_found"],
      answer: async ({ ref, path }) =>
        outcomeAnswer(await deployments.takeDown(ref, path.environment), doneAnswer),
    }),
  ];
}

/** A deployment is read as what is live in its environment, and in the history. */
function live(outcome: RegistryOutcome<Deployment>, app: string): Answer {
  return outcomeAnswer(outcome, (made) =>
    createdAnswer(made, app, "environments", made.environment),
  );
}
