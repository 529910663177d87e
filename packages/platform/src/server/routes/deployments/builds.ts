import { JSON_TYPE } from "../../answer.ts";
import { MESSAGE } from "../registry/body-fields.ts";
import { encodePageCursor, pageParameters, pageRequest } from "../registry/page-parameters.ts";
import {
  documentAnswer,
  documented,
  doneAnswer,
  outcomeAnswer,
  pageAnswer,
} from "../registry/registry-answer.ts";
import { registryRoute } from "../registry/registry-route.ts";
import type { Route } from "../route.ts";
import { deployAnswer, undeployedAnswer } from "./deploy-answer.ts";
import { deployEvents, EVENT_STREAM, wantsEvents } from "./deploy-events.ts";
import type { DeploymentRouteDependencies } from "./deployment-route-dependencies.ts";

const BUILDS = "/registry/applications/{app}/builds";

/** The builds of an application: what there is, and which of them serves. */
export function buildRoutes(dependencies: DeploymentRouteDependencies): Route[] {
  const { deployer, builds, maxBodyBytes, onStoreUnavailable, answerError } = dependencies;
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: BUILDS,
      access: "read",
      id: "listBuilds",
      summary: "List the builds of an application",
      description: "Newest first, refused ones included.",
      query: pageParameters("builds"),
      success: documented("BuildList", "One page. `next_cursor` is null on the last."),
      errors: ["cursor_invalid"],
      answer: async ({ ref, query }) =>
        outcomeAnswer(await builds.list(ref, pageRequest(query)), (page) =>
          pageAnswer(page, (before) => encodePageCursor("builds", before)),
        ),
    }),
    registryRoute(maxBodyBytes, {
      method: "DELETE",
      path: `${BUILDS}/live`,
      access: "deploy",
      id: "stopBuild",
      summary: "Stop serving an application",
      description:
        "The live build finishes what it has and ends; calls are answered with 404 from then on. Configurations stay as they are.",
      success: { status: 204, description: "No build serves it." },
      errors: ["build_not_found", "deploy_superseded", "shutting_down"],
      answer: async ({ ref }) => {
        const outcome = await deployer.retire(ref);
        if (outcome.kind === "unavailable") onStoreUnavailable(outcome.reason);
        return outcome.kind === "retired" ? doneAnswer() : undeployedAnswer(outcome);
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: `${BUILDS}/{build}`,
      access: "read",
      id: "getBuild",
      summary: "Get a build",
      success: documented("Build", "The build."),
      answer: async ({ ref, path }) =>
        outcomeAnswer(await builds.get(ref, path.build), documentAnswer),
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${BUILDS}/{build}/activate`,
      access: "deploy",
      id: "activateBuild",
      summary: "Let an earlier build serve again",
      description:
        "The same steps and checks as for a new build, without an upload; configurations stay as they are. The build that is live is started anew. The files of the last ten builds are kept. With `Accept: text/event-stream` the answer has the same events as a deploy's.",
      body: { message: MESSAGE },
      success: {
        status: 200,
        description: "It serves. With `Accept: text/event-stream`, the steps.",
        body: {
          [JSON_TYPE]: { schema: "DeployResult" },
          [EVENT_STREAM]: { schema: { type: "string" } },
        },
      },
      errors: [
        "install_failed",
        "build_unusable",
        "config_invalid",
        "deploy_superseded",
        "shutting_down",
      ],
      answer: async ({ ref, path, body, caller, headers }) => {
        const authorship = { by: caller.name, message: body.message ?? "" };
        const activate: Parameters<typeof deployEvents>[0] = async (progress) => {
          const outcome = await deployer.activate(ref, path.build, authorship, progress);
          if (outcome.kind === "unavailable") onStoreUnavailable(outcome.reason);
          return outcome;
        };
        if (wantsEvents(headers)) return deployEvents(activate, answerError);
        const outcome = await activate({ begun: () => {}, done: () => {} });
        return deployAnswer(outcome, documentAnswer);
      },
    }),
  ];
}
