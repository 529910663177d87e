import type { IncomingHttpHeaders } from "node:http";
import { mustBe, shownValue } from "@agate/protocol";
import * as z from "zod/mini";
import type { Deployer, DeployRequest } from "../../../deployments/deployer.ts";
import type { ChangeRequest } from "../../../registry/deployment-change.ts";
import type { Applications, Builds, Registry } from "../../../registry/registry.ts";
import type { Answer, Problem } from "../../answer.ts";
import { JSON_TYPE, problemAnswer } from "../../answer.ts";
import { choice, name, orNull, text } from "../../inputs/input-kinds.ts";
import { readBody } from "../../inputs/read-body.ts";
import { EVENT_STREAM } from "../../live/server-sent-event.ts";
import type { Route } from "../../route.ts";
import { content, created, noContent, route, success } from "../../route.ts";
import {
  beyondLimit,
  locationOf,
  message,
  outcomeAnswer,
  PATH_PARAMETERS,
  pageOf,
  pageQuery,
  pageRequest,
  registryRoute,
  revision,
  revisionNumber,
} from "../registry/registry-route.ts";
import {
  ALLOW_BREAKING,
  deployAnswer,
  deployEvents,
  undeployedAnswer,
  wantsEvents,
} from "./deploy-answer.ts";

export interface DeploymentRouteDependencies {
  readonly deployer: Deployer;
  readonly registry: Pick<Registry, "applications" | "environments">;
  readonly applications: Applications;
  readonly builds: Builds;
  /** Of a build's archive. */
  readonly maxBuildBytes: number;
  /** Of any other request's body. */
  readonly maxBodyBytes: number;
  /** Fires when the server stops: live streams end then. */
  readonly closing: AbortSignal;
  readonly onStoreUnavailable: (reason: string) => void;
  /** Logs an unexpected error inside a stream, where it cannot be thrown. */
  readonly answerError: (error: unknown) => Answer;
}

export const BUILDS = "/registry/applications/{app}/builds";

/** Where code goes that is deployed without a word of it: nothing there is used by others. */
const DEVELOPMENT = "development";

/** The builds of an application: what there is, and where it serves. */
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
      limitedTo: dependencies.registry,
      id: "stopBuild",
      summary: "Stop serving an environment",
      description:
        "Takes down what is live there, as `DELETE …/environments/{environment}/deployment` does: its build finishes what it has and ends, and calls are answered with 404 from then on.",
      query: () =>
        z.object({
          environment: text({
            description: "Slug or id of the environment.",
            example: "staging",
          }),
        }),
      success: noContent("No build serves it."),
      errors: [
        "environment_not_found",
        "deployment_not_found",
        "deploy_superseded",
        "shutting_down",
        "text_too_long",
      ],
      answer: async ({ ref, query }, reply) => {
        const outcome = await deployer.takeDown(ref, query.environment);
        if (outcome.kind === "unavailable") onStoreUnavailable(outcome.reason);
        return outcome.kind === "taken-down" ? reply() : undeployedAnswer(outcome);
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
      method: "GET",
      path: `${BUILDS}/{build}/schema`,
      tag: "deployments",
      access: "read",
      id: "getBuildSchema",
      summary: "Get the schema of a build",
      description:
        "The fields of its routes' configurations, and their inputs, as it answered when it was deployed: also of a build that is no longer live, for comparing them before a rollback.",
      success: success("ApplicationSchema", "The schema."),
      errors: ["schema_not_found"],
      answer: async ({ ref, params }, reply) =>
        outcomeAnswer(await builds.schema(ref, params.build), reply),
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${BUILDS}/{build}/activate`,
      tag: "deployments",
      access: "deploy",
      limitedTo: dependencies.registry,
      id: "activateBuild",
      summary: "Deploy an earlier build",
      description:
        "The same steps and checks as for a new build, without an upload; the revision that is live in the environment stays, unless one is named. A build that is live there already is started anew. The files of the ten newest builds are kept, and of each environment's last five. With `Accept: text/event-stream` the answer has the same events as a deploy's.",
      body: () =>
        z.strictObject({
          environment: name({ description: "Slug or id of the environment.", example: "staging" }),
          variant: orNull(name({ description: "Slug or id of a variant to make live with it." })),
          revision: revision(),
          allow_breaking: z.optional(ALLOW_BREAKING()),
          message: message(),
        }),
      success: {
        ...success("DeployResult", "It serves. With `Accept: text/event-stream`, the steps."),
        body: { [JSON_TYPE]: "DeployResult", [EVENT_STREAM]: { type: "string" } },
      },
      errors: [
        "install_failed",
        "build_unusable",
        "no_room",
        "config_invalid",
        "breaking_change",
        "environment_not_found",
        "variant_not_found",
        "revision_not_found",
        "deploy_superseded",
        "shutting_down",
      ],
      answer: async ({ ref, params, body, caller, incoming }, reply) => {
        const { environment, variant, revision } = body;
        if (variant === null && revision !== null) {
          const msg = "Give variant, too: a revision belongs to a variant.";
          return problemAnswer({ type: "value_not_allowed", loc: ["body", "revision"], msg });
        }
        const request: ChangeRequest = {
          kind: "deploy",
          build: params.build,
          config: variant === null ? null : { variant, revision },
          configIn: "body",
          environment,
          environmentLoc: ["body", "environment"],
          accepts: body.allow_breaking === true ? "breaking" : "compatible",
          by: caller.name,
          message: body.message ?? "",
        };
        const activate: Parameters<typeof deployEvents>[0] = async (progress) => {
          const outcome = await deployer.change(ref, request, progress);
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

const GZIP_TYPES: readonly string[] = ["application/gzip", "application/x-gzip"];

const deployQuery = () =>
  z.object({
    environment: z._default(
      text({
        description: `Slug or id of the environment that it goes live in; \`${DEVELOPMENT}\` where nothing is said.`,
        example: "staging",
      }),
      DEVELOPMENT,
    ),
    variant: z.optional(
      text({
        description:
          "Slug or id of a variant to make live with it, made with all defaults where it does not exist. Without it the revision that is live stays, and where nothing is live, `default` becomes it.",
      }),
    ),
    revision: z.optional(revisionNumber("Which revision of the variant; without it the latest.")),
    commit: z.optional(text({ description: "The git commit that it was packed from." }, 100)),
    allow_breaking: z.optional(
      choice({ description: "`true` accepts that values and routes in use are dropped." }, [
        "true",
        "false",
      ]),
    ),
    message: z.optional(text({ description: "Why, for the history." })),
  });

/** `POST …/builds`: an archive comes in, and serves. */
export function deployBuildRoute(dependencies: DeploymentRouteDependencies): Route {
  const { deployer, maxBuildBytes, onStoreUnavailable, answerError } = dependencies;
  return route({
    method: "POST",
    path: "/registry/applications/{app}/builds",
    access: "deploy",
    limitedKeys: "checked",
    id: "deployBuild",
    tag: "deployments",
    summary: "Deploy a build",
    description:
      "Takes a build as `agate deploy` packs it, installs its packages, starts it, checks the environment's configuration against its schema, and lets it serve there in place of the build before, which finishes what it has. Other environments stay as they are. If the deploy fails, the previous build still serves. The same archive is the same build. Creates the application if it does not exist. With `Accept: text/event-stream` the answer is a 200 at once, with the events `step`, and at the end `deployed` or `refused`. The deploy goes on when the client goes away.",
    guard: ({ headers }) => wrongBody(headers),
    params: () => z.object({ app: PATH_PARAMETERS.app.schema() }),
    query: deployQuery,
    requestBody: {
      "application/gzip": { type: "string", contentMediaType: "application/gzip" },
    },
    success: created("DeployResult", "It serves."),
    otherwise: [content(EVENT_STREAM, "The steps, as they happen.")],
    errors: [
      "body_too_large",
      "content_type_unsupported",
      "content_encoding_unsupported",
      "value_not_allowed",
      "number_invalid",
      "out_of_range",
      "text_too_long",
      "slug_invalid",
      "archive_invalid",
      "install_failed",
      "build_unusable",
      "no_room",
      "config_invalid",
      "deploy_superseded",
      "application_not_found",
      "environment_not_found",
      "variant_not_found",
      "revision_not_found",
      "store_unavailable",
      "shutting_down",
    ],
    answer: async ({ incoming, caller, params, query }, reply) => {
      const { variant, revision = null, environment } = query;
      const ref = { project: caller.project, application: params.app };
      const named = { name: environment, in: "query" } as const;
      const beyond = await beyondLimit(dependencies.registry, caller, ref, named);
      if (beyond !== undefined) return beyond;
      if (variant === undefined && revision !== null) {
        const msg = "Give variant, too: a revision belongs to a variant.";
        return problemAnswer({ type: "value_not_allowed", loc: ["query", "revision"], msg });
      }
      const body = await readBody(incoming, maxBuildBytes);
      if (body.kind !== "body") return problemAnswer(unreadBody(body.kind, maxBuildBytes));
      const request: DeployRequest = {
        project: caller.project,
        application: params.app,
        archive: body.bytes,
        commit: query.commit ?? null,
        by: caller.name,
        message: query.message ?? "",
        environment,
        config: variant === undefined ? null : { variant, revision },
        accepts: query.allow_breaking === "true" ? "breaking" : "compatible",
      };
      const deploy: Parameters<typeof deployEvents>[0] = async (progress) => {
        const outcome = await deployer.deploy(request, progress);
        if (outcome.kind === "unavailable") onStoreUnavailable(outcome.reason);
        return outcome;
      };
      if (wantsEvents(incoming.headers)) return deployEvents(deploy, answerError);
      return deployAnswer(await deploy({ begun: () => {}, done: () => {} }), (result) => {
        const { application, build } = result;
        return reply(result, locationOf(application.slug, "builds", String(build.number)));
      });
    },
  });
}

function wrongBody(headers: IncomingHttpHeaders): Problem | undefined {
  const given = headers["content-type"];
  const type = given?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!GZIP_TYPES.includes(type)) {
    return {
      type: "content_type_unsupported",
      loc: ["header", "content-type"],
      msg: mustBe("application/gzip", given === undefined ? "no content type" : shownValue(given)),
    };
  }
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding.trim().toLowerCase() === "identity") return undefined;
  return {
    type: "content_encoding_unsupported",
    loc: ["header", "content-encoding"],
    msg: `The archive is compressed already: it must not be compressed again (got ${shownValue(encoding)}).`,
  };
}

function unreadBody(kind: "too-large" | "broken-off", limit: number): Problem {
  return kind === "too-large"
    ? {
        type: "body_too_large",
        loc: ["body"],
        msg: `The archive is larger than ${limit} bytes. \`agate server --max-build\` allows more.`,
      }
    : { type: "request_malformed", loc: ["body"], msg: "The body ended early." };
}
