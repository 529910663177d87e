import type { ResolvedConfig, RevisionRef } from "@agate/protocol";
import type { Registry } from "../../../registry/registry.ts";
import type { Answer } from "../../answer.ts";
import type { Problem } from "../../errors/error-answer.ts";
import { problemAnswer } from "../../errors/error-answer.ts";
import { textParameter } from "../../query/parameter-kinds.ts";
import type { QueryParameter, QueryValues } from "../../query/query-parameter.ts";
import type { Route } from "../route.ts";
import { entityTag, isNamed } from "./entity-tag.ts";
import { documentAnswer, documented, outcomeAnswer } from "./registry-answer.ts";
import { registryRoute } from "./registry-route.ts";
import { parseRevisionNumber } from "./revision-number.ts";

const REVISION: QueryParameter<number> = {
  name: "revision",
  description: "One revision of the variant; without it the latest.",
  schema: { type: "integer", minimum: 1 },
  parse: parseRevisionNumber,
};

const PARAMETERS = {
  environment: textParameter({
    name: "environment",
    description: "What is deployed to this environment: its slug or id.",
    example: "production",
  }),
  variant: textParameter({
    name: "variant",
    description: "A revision of this variant instead: its slug or id.",
  }),
  revision: REVISION,
};

const CACHE_CONTROL = "no-store";
const ETAG_DOC = { etag: "For `If-None-Match` of the next request." };

/** docs/reference/config-resolution.md. */
export function configRoutes(registry: Registry, maxBodyBytes: number): Route[] {
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: "/registry/applications/{app}/config",
      access: "read",
      id: "resolveConfig",
      summary: "Get the configuration of an environment or a variant",
      description:
        "What running workflows ask for. Takes exactly one of `environment` and `variant`. Send the `etag` of the last answer as `If-None-Match`: where it is still right, the answer is a 304.",
      query: PARAMETERS,
      success: { ...documented("ResolvedConfig", "The configuration."), headers: ETAG_DOC },
      otherwise: [
        { status: 304, description: "It is still what the request names.", headers: ETAG_DOC },
      ],
      errors: [
        "environment_not_found",
        "deployment_not_found",
        "variant_not_found",
        "revision_not_found",
        "text_too_long",
      ],
      answer: async ({ ref, query, headers }) => {
        const which = readReference(query);
        if ("type" in which) return problemAnswer(which);
        return outcomeAnswer(await registry.resolve(ref, which), (config) =>
          configAnswer(config, headers["if-none-match"]),
        );
      },
    }),
  ];
}

function configAnswer(config: ResolvedConfig, ifNoneMatch: string | undefined): Answer {
  const answer = documentAnswer(config);
  const etag = entityTag(String(answer.body));
  const headers = { etag, "cache-control": CACHE_CONTROL };
  return isNamed(etag, ifNoneMatch)
    ? { kind: "full", status: 304, contentType: null, body: "", headers }
    : { ...answer, headers };
}

function readReference(query: QueryValues<typeof PARAMETERS>): RevisionRef | Problem {
  const { environment, variant, revision = null } = query;
  if (environment !== undefined && variant !== undefined) {
    return unclear("variant", "Takes environment or variant, not both.");
  }
  if (revision !== null && variant === undefined) {
    return unclear("revision", "Takes a revision of a variant: give variant, too.");
  }
  if (variant !== undefined) return { kind: "variant", variant, revision };
  if (environment !== undefined) return { kind: "environment", environment };
  return unclear("environment", "Give environment or variant, such as ?environment=production.");
}

function unclear(parameter: keyof typeof PARAMETERS, msg: string): Problem {
  return { type: "value_not_allowed", loc: ["query", parameter], msg };
}
