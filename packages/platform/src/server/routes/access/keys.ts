import type { Scope } from "@agate/protocol";
import {
  isKeyEnvironment,
  isWithinLimit,
  KEY_ENVIRONMENT_RULE,
  KEY_ENVIRONMENT_SCHEMA,
  MOST_KEY_ENVIRONMENTS,
  SCOPES,
  SERVER_SCOPES,
  shownValue,
} from "@agate/protocol";
import * as z from "zod/mini";
import { API_KEY_NAME_RULE, isApiKeyName } from "../../../access/api-key-text.ts";
import type { ApiKeys } from "../../../access/api-keys.ts";
import { ProjectGoneError } from "../../../access/api-keys.ts";
import { type Caller, may } from "../../../access/caller.ts";
import { type FullAnswer, problemAnswer } from "../../answer.ts";
import { matching, name, orNull } from "../../inputs/input-kinds.ts";
import type { Route } from "../../route.ts";
import { noContent, route, success } from "../../route.ts";

const PATH = "/registry/keys";

const newKey = () =>
  z.strictObject({
    name: matching(
      { description: "Shown as the author of changes made with the key.", example: "ci" },
      { type: "string", minLength: 1, maxLength: 64 },
      API_KEY_NAME_RULE,
      (value): value is string => typeof value === "string" && isApiKeyName(value),
    ),
    scopes: matching(
      {
        description:
          "What it may do. `admin` includes the others except `deploy` and `backup`, which only a caller that has them can give.",
        example: ["ingest", "read"],
      },
      {
        type: "array",
        items: { type: "string", enum: SCOPES },
        minItems: 1,
        uniqueItems: true,
      },
      `a list of ${SCOPES.join(", ")}: at least one, each once`,
      isScopeList,
    ),
    environments: orNull(
      matching(
        {
          description:
            "Limits it to these environments: `staging` of every application, or `support/staging` of one. Without it, no limit. A limited key creates keys within its own limit only.",
          example: ["staging"],
        },
        {
          type: "array",
          items: { type: "string", ...KEY_ENVIRONMENT_SCHEMA },
          minItems: 1,
          maxItems: MOST_KEY_ENVIRONMENTS,
          uniqueItems: true,
        },
        `a list of 1 to ${MOST_KEY_ENVIRONMENTS} environments, each once: ${KEY_ENVIRONMENT_RULE}`,
        isEnvironmentList,
      ),
    ),
  });

function isScopeList(value: unknown): value is readonly Scope[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.length === SCOPES.filter((scope) => value.includes(scope)).length;
}

function isEnvironmentList(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_KEY_ENVIRONMENTS)
    return false;
  const names = value.filter((each) => typeof each === "string" && isKeyEnvironment(each));
  return new Set(names).size === value.length;
}

/** `/registry/keys`: listing, creating and revoking those of the caller's project. */
export function keyRoutes(keys: ApiKeys): readonly Route[] {
  return [listRoute(keys), createRoute(keys), revokeRoute(keys)];
}

function listRoute(keys: ApiKeys): Route {
  return route({
    method: "GET",
    path: PATH,
    access: "admin",
    id: "listKeys",
    tag: "access",
    summary: "List API keys",
    description: "Those of the caller's project, without their secrets.",
    success: success("ApiKeyList", "Oldest first."),
    errors: [],
    answer: async ({ caller }, reply) => reply({ items: await keys.list(caller.project) }),
  });
}

function createRoute(keys: ApiKeys): Route {
  return route({
    method: "POST",
    path: PATH,
    access: "admin",
    limitedKeys: "checked",
    id: "createKey",
    tag: "access",
    summary: "Create an API key",
    description: "For the caller's project. The answer shows the key, and nothing ever does again.",
    body: newKey,
    success: { ...success("CreatedApiKey", "The key."), status: 201 },
    errors: ["store_unavailable"],
    answer: async ({ caller, body }, reply) => {
      const scopes = SCOPES.filter((scope) => body.scopes.includes(scope));
      const refused = SERVER_SCOPES.find((scope) => scopes.includes(scope) && !may(caller, scope));
      if (refused !== undefined) {
        return problemAnswer({
          type: "scope_missing",
          loc: ["body", "scopes"],
          msg: `Only a key that has the scope ${refused} can create another that has it. Create this one with such a key, or on the server with \`agate keys create … --data-dir\` or \`--registry\`.`,
        });
      }
      const { name, environments } = body;
      if (!isWithinLimit(environments, caller.environments)) return tooBroad(caller);
      try {
        const created = await keys.create(caller.project, { name, scopes, environments });
        return reply(created, { "cache-control": "no-store" });
      } catch (error) {
        if (!(error instanceof ProjectGoneError)) throw error;
        const msg = "The project was deleted meanwhile.";
        return problemAnswer({ type: "project_not_found", loc: ["header", "agate-project"], msg });
      }
    },
  });
}

function tooBroad({ environments }: Caller): FullAnswer {
  const limit = [...(environments ?? [])].join(", ");
  return problemAnswer({
    type: "environment_not_allowed",
    loc: ["header", "authorization"],
    msg: `The API key is limited to ${limit}: it creates and revokes only keys that are limited to these.`,
  });
}

function revokeRoute(keys: ApiKeys): Route {
  return route({
    method: "DELETE",
    path: `${PATH}/{key}`,
    access: "admin",
    limitedKeys: "checked",
    id: "revokeKey",
    tag: "access",
    summary: "Revoke an API key",
    description: "At once: events and logs that are being sent to it are broken off.",
    params: () =>
      z.object({
        key: name({ description: "Id of the key.", example: "key_k3v5zq7m2c4nxw6brt2a" }),
      }),
    success: noContent("The key opens nothing any more."),
    errors: ["key_not_found", "store_unavailable"],
    answer: async ({ caller, params }, reply) => {
      if (caller.environments !== null) {
        const revoked = (await keys.list(caller.project)).find(({ id }) => id === params.key);
        const isWithin =
          revoked === undefined || isWithinLimit(revoked.environments, caller.environments);
        if (!isWithin) return tooBroad(caller);
      }
      const outcome = await keys.revoke(caller.project, params.key);
      if (outcome === "revoked") return reply();
      return problemAnswer({
        type: "key_not_found",
        loc: ["path", "key"],
        msg: `The project has no API key ${shownValue(params.key)}. Keys are named by their id here: see the list of keys.`,
      });
    },
  });
}
