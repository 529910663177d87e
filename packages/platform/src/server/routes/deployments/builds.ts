import * as z from "zod/mini";
import { JSON_TYPE } from "../../answer.ts";
import { EVENT_STREAM } from "../../live/server-sent-event.ts";
import type { Route } from "../../route.ts";
import { noContent, success } from "../../route.ts";
import {
  message,
  outcomeAnswer,
  pageOf,
  pageQuery,
  pageRequest,
  registryRoute,
} from "../registry/registry-route.ts";
import { deployAnswer, undeployedAnswer } from "./deploy-answer.ts";
import { deployEvents, wantsEvents } from "./deploy-events.ts";
import type { DeploymentRouteDependencies } from "./deployment-route-dependencies.ts";

const BUILDS = "/registry/applications/{app}/builds";

/** The builds of an application: what there is, and which of them serves. */
export function buildRoutes(dependencies: DeploymentRouteDependencies): Route[] {
  const { deployer, builds, maxBodyBytes, onStoreUnavailable, answerError } = dependencies;
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: BUILDS,
      tag: "deployments",
      access: "read",
      id: "listBuilds",
      summary: "List the builds of an application",
      description: "Newest first, refused ones included.",
      query: () => pageQuery("builds"),
      success: success("BuildList", "One page. `next_cursor` is null on the last."),
      errors: ["cursor_invalid"],
      answer: async ({ ref, query }, reply) =>
        outcomeAnswer(await builds.list(ref, pageRequest(query)), (page) =>
          reply(pageOf("builds", page)),
        ),
    }),
    registryRoute(maxBodyBytes, {
      method: "DELETE",
      path: `${BUILDS}/live`,
      tag: "deployments",
      access: "deploy",
      id: "stopBuild",
      summary: "Stop serving an application",
      description:
        "The live build finishes what it has and ends; calls are answered with 404 from then on. Configurations stay as they are.",
      success: noContent("No build serves it."),
      errors: ["build_not_found", "deploy_superseded", "shutting_down"],
      answer: async ({ ref }, reply) => {
        const outcome = await deployer.retire(ref);
        if (outcome.kind === "unavailable") onStoreUnavailable(outcome.reason);
        return outcome.kind === "retired" ? reply() : undeployedAnswer(outcome);
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: `${BUILDS}/{build}`,
      tag: "deployments",
      access: "read",
      id: "getBuild",
      summary: "Get a build",
      success: success("Build", "The build."),
      answer: async ({ ref, params }, reply) =>
        outcomeAnswer(await builds.get(ref, params.build), reply),
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${BUILDS}/{build}/activate`,
      tag: "deployments",
      access: "deploy",
      id: "activateBuild",
      summary: "Let an earlier build serve again",
      description:
        "The same steps and checks as for a new build, without an upload; configurations stay as they are. The build that is live is started anew. The files of the last ten builds are kept. With `Accept: text/event-stream` the answer has the same events as a deploy's.",
      body: () => z.strictObject({ message: message() }),
      success: {
        ...success("DeployResult", "It serves. With `Accept: text/event-stream`, the steps."),
        body: { [JSON_TYPE]: "DeployResult", [EVENT_STREAM]: { type: "string" } },
      },
      errors: [
        "install_failed",
        "build_unusable",
        "config_invalid",
        "deploy_superseded",
        "shutting_down",
      ],
      answer: async ({ ref, params, body, caller, incoming }, reply) => {
        const authorship = { by: caller.name, message: body.message ?? "" };
        const activate: Parameters<typeof deployEvents>[0] = async (progress) => {
          const outcome = await deployer.activate(ref, params.build, authorship, progress);
          if (outcome.kind === "unavailable") onStoreUnavailable(outcome.reason);
          return outcome;
        };
        if (wantsEvents(incoming.headers)) return deployEvents(activate, answerError);
        const outcome = await activate({ begun: () => {}, done: () => {} });
        return deployAnswer(outcome, reply);
      },
    }),
  ];
}
