import type { IncomingHttpHeaders } from "node:http";
import type { DeployResult } from "@agate/protocol";
import { includesScope } from "@agate/protocol";
import * as z from "zod/mini";
import type { Caller } from "../../../access/caller.ts";
import type { ChangeRequest, MovedParts } from "../../../registry/deployment-change.ts";
import type { ApplicationRef, Registry } from "../../../registry/registry.ts";
import type { Answer, FullAnswer, Problem } from "../../answer.ts";
import { problemAnswer } from "../../answer.ts";
import { flag, name, orNull } from "../../inputs/input-kinds.ts";
import { EVENT_STREAM } from "../../live/server-sent-event.ts";
import type { Route } from "../../route.ts";
import { content, created, noContent, success } from "../../route.ts";
import type { DeploymentRouteDependencies } from "../deployments/builds.ts";
import {
  ALLOW_BREAKING,
  deployAnswer,
  deployEvents,
  undeployedAnswer,
  wantsEvents,
} from "../deployments/deploy-answer.ts";
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
const LIVE = created("Deployment", "It is live.");
const PROMOTED = created("Promotion", "It is live.");
const STEPS = [content(EVENT_STREAM, "The steps, as they happen.")];

export interface DeploymentHistoryDependencies extends DeploymentRouteDependencies {
  readonly registry: Registry;
}

/** What is live in environments, and what was. */
export function deploymentRoutes(dependencies: DeploymentHistoryDependencies): Route[] {
  return [...historyRoutes(dependencies), ...changeRoutes(dependencies)];
}

function historyRoutes({ registry, maxBodyBytes }: DeploymentHistoryDependencies): Route[] {
  const { deployments } = registry;
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

/** Which part of what is live moves, in the body of a promotion or a rollback. */
const movedParts = () => ({
  code_only: z.optional(flag({ description: "Moves the build alone." })),
  config_only: z.optional(flag({ description: "Moves the revision alone." })),
  allow_breaking: z.optional(ALLOW_BREAKING()),
});

const EVENTS_DOC = "With `Accept: text/event-stream` the answer has the same events as a deploy's.";

function changeRoutes(dependencies: DeploymentHistoryDependencies): Route[] {
  const { deployer, registry, maxBodyBytes, onStoreUnavailable } = dependencies;
  return [
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${ENVIRONMENT}/deployments`,
      access: "admin",
      limitedTo: registry,
      id: "deployRevision",
      summary: "Deploy a revision",
      description: `Pins one revision, without a number the one that is the latest now, and keeps the build that is live. Refused where no build is, and if the revision does not satisfy the build's schema. ${EVENTS_DOC}`,
      body: () =>
        z.strictObject({
          variant: name({ description: "Slug or id of the variant.", example: "default" }),
          revision: revision(),
          message: message(),
        }),
      success: LIVE,
      otherwise: STEPS,
      errors: [
        "variant_not_found",
        "revision_not_found",
        "config_invalid",
        "build_missing",
        "deploy_superseded",
        "shutting_down",
      ],
      answer: ({ ref, params, body, caller, incoming }, reply) => {
        const { variant, revision } = body;
        const what = { kind: "deploy", build: null, config: { variant, revision } } as const;
        const request = changeRequest(params, body, caller);
        return answerChange(
          dependencies,
          { ref, request: { ...what, configIn: "body", ...request }, incoming },
          ({ deployment }, headers) => reply(deployment, headers),
        );
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${ENVIRONMENT}/promote`,
      access: ["deploy", "admin"],
      limitedTo: registry,
      id: "promote",
      summary: "Promote what is live in another environment",
      description: `Deploys the build and the revision that are live there. Variables stay with their environments: \`missing_variables\` has the names that the target lacks. A key without the scope \`deploy\` may promote with \`config_only\`. ${EVENTS_DOC}`,
      body: () =>
        z.strictObject({
          from: name({
            description: "Slug or id of the environment that is promoted.",
            example: "staging",
          }),
          expect: orNull(
            name({
              description:
                "Id of the deployment that has to be live there still: a 409 where another is.",
            }),
          ),
          ...movedParts(),
          message: message(),
        }),
      success: PROMOTED,
      otherwise: STEPS,
      errors: MOVE_ERRORS,
      answer: ({ ref, params, body, caller, incoming }, reply) => {
        const parts = readParts(body, caller);
        if (typeof parts !== "string") return problemAnswer(parts);
        const { from, expect } = body;
        const request = changeRequest(params, body, caller);
        return answerChange(
          dependencies,
          { ref, request: { kind: "promotion", from, expect, parts, ...request }, incoming },
          ({ deployment, missing_variables }, headers) =>
            reply({ ...deployment, missing_variables }, headers),
        );
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${ENVIRONMENT}/rollback`,
      access: ["deploy", "admin"],
      limitedTo: registry,
      id: "rollBack",
      summary: "Roll an environment back",
      description: `Deploys again the build and the revision that an earlier deployment of the environment had. A key without the scope \`deploy\` may roll back with \`config_only\`. ${EVENTS_DOC}`,
      body: () =>
        z.strictObject({
          deployment: orNull(
            name({
              description:
                "Id of an earlier deployment of this environment. Without it, the last one that differs in what moves.",
            }),
          ),
          ...movedParts(),
          message: message(),
        }),
      success: LIVE,
      otherwise: STEPS,
      errors: MOVE_ERRORS,
      answer: ({ ref, params, body, caller, incoming }, reply) => {
        const parts = readParts(body, caller);
        if (typeof parts !== "string") return problemAnswer(parts);
        const { deployment } = body;
        const request = changeRequest(params, body, caller);
        return answerChange(
          dependencies,
          { ref, request: { kind: "rollback", deployment, parts, ...request }, incoming },
          ({ deployment }, headers) => reply(deployment, headers),
        );
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "DELETE",
      path: `${ENVIRONMENT}/deployment`,
      access: ["deploy", "admin"],
      limitedTo: registry,
      id: "takeDown",
      summary: "Take down what is live in an environment",
      description:
        "Its build finishes what it has and ends. Calls of the environment are answered with 404 afterwards.",
      success: noContent("Nothing is live there."),
      errors: ["deployment_not_found", "deploy_superseded", "shutting_down"],
      answer: async ({ ref, params }, reply) => {
        const outcome = await deployer.takeDown(ref, params.environment);
        if (outcome.kind === "unavailable") onStoreUnavailable(outcome.reason);
        return outcome.kind === "taken-down" ? reply() : undeployedAnswer(outcome);
      },
    }),
  ];
}

const MOVE_ERRORS = [
  "deployment_not_found",
  "deployment_stale",
  "variant_not_found",
  "revision_not_found",
  "config_invalid",
  "breaking_change",
  "build_missing",
  "build_unusable",
  "install_failed",
  "no_room",
  "deploy_superseded",
  "scope_missing",
  "shutting_down",
] as const;

interface ChangeBody {
  readonly allow_breaking?: boolean | undefined;
  readonly message?: string | null | undefined;
}

function changeRequest(
  { environment }: { readonly environment: string },
  body: ChangeBody,
  caller: Caller,
) {
  return {
    environment,
    environmentLoc: ["path", "environment"],
    accepts: body.allow_breaking === true ? "breaking" : "compatible",
    by: caller.name,
    message: body.message ?? "",
  } as const;
}

/** What moves, as a body says it. */
function readParts(
  body: { readonly code_only?: boolean | undefined; readonly config_only?: boolean | undefined },
  caller: Caller,
): MovedParts | Problem {
  const { code_only: codeOnly = false, config_only: configOnly = false } = body;
  if (codeOnly && configOnly) {
    const msg = "Give code_only or config_only, not both: without either, both move.";
    return { type: "value_not_allowed", loc: ["body", "config_only"], msg };
  }
  if (configOnly) return "config";
  if (!includesScope(caller.scopes, "deploy") && !caller.isOperator) {
    const msg =
      "This moves code, which needs a key with the scope deploy. Move the configuration alone with config_only.";
    return { type: "scope_missing", loc: ["header", "authorization"], msg };
  }
  return codeOnly ? "code" : "both";
}

interface AskedChange {
  readonly ref: ApplicationRef;
  readonly request: ChangeRequest;
  readonly incoming: { readonly headers: IncomingHttpHeaders };
}

/** Carries a change out, and answers with its steps where these are asked for. */
async function answerChange(
  { deployer, onStoreUnavailable, answerError }: DeploymentHistoryDependencies,
  { ref, request, incoming }: AskedChange,
  reply: (result: DeployResult, headers: Record<string, string>) => FullAnswer,
): Promise<Answer> {
  const change: Parameters<typeof deployEvents>[0] = async (progress) => {
    const outcome = await deployer.change(ref, request, progress);
    if (outcome.kind === "unavailable") onStoreUnavailable(outcome.reason);
    return outcome;
  };
  if (wantsEvents(incoming.headers)) return deployEvents(change, answerError);
  return deployAnswer(await change({ begun: () => {}, done: () => {} }), (result) =>
    // A deployment is read as what is live in its environment, and in the history.
    reply(result, locationOf(ref.application, "environments", result.deployment.environment)),
  );
}
