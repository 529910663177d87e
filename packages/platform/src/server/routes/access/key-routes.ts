import { SERVER_SCOPES } from "@agate/protocol";
import type { ApiKeys } from "../../../access/api-keys.ts";
import { ProjectGoneError } from "../../../access/api-keys.ts";
import { may } from "../../../access/caller.ts";
import { JSON_TYPE, jsonAnswer } from "../../answer.ts";
import { fieldsSchema } from "../../body/body-fields.ts";
import { JSON_BODY_ERRORS, readBodyFields } from "../../body/read-body-fields.ts";
import { problemAnswer, problemsAnswer } from "../../errors/error-answer.ts";
import { quoted } from "../../query/parameter-kinds.ts";
import type { Route } from "../route.ts";
import { callerOf } from "../route.ts";
import { KEY_FIELDS } from "./key-fields.ts";
import { MOST_BYTES } from "./most-bytes.ts";

const PATH = "/registry/keys";

/** `/registry/keys`: listing, making and revoking those of the caller's project. */
export function keyRoutes(keys: ApiKeys): readonly Route[] {
  return [listRoute(keys), createRoute(keys), revokeRoute(keys)];
}

function listRoute(keys: ApiKeys): Route {
  return {
    method: "GET",
    path: PATH,
    access: "admin",
    operation: {
      id: "listKeys",
      tag: "access",
      summary: "List API keys",
      description: "Those of the caller's project, without their secrets.",
      success: {
        status: 200,
        description: "Oldest first.",
        body: { [JSON_TYPE]: { schema: "ApiKeyList" } },
      },
      errors: [],
    },
    handle: async (request) => {
      const items = await keys.list(callerOf(request).project);
      return jsonAnswer(JSON.stringify({ items }));
    },
  };
}

function createRoute(keys: ApiKeys): Route {
  return {
    method: "POST",
    path: PATH,
    access: "admin",
    operation: {
      id: "createKey",
      tag: "access",
      summary: "Make an API key",
      description:
        "For the caller's project. The answer shows the key, and nothing ever does again.",
      requestBody: { [JSON_TYPE]: { schema: fieldsSchema(KEY_FIELDS) } },
      success: {
        status: 201,
        description: "The key.",
        body: { [JSON_TYPE]: { schema: "CreatedApiKey" } },
      },
      errors: [...JSON_BODY_ERRORS, "body_invalid", "store_unavailable"],
    },
    handle: async (request) => {
      const body = await readBodyFields(request, KEY_FIELDS, MOST_BYTES);
      if (body.kind === "problems") return problemsAnswer(body.problems);
      const caller = callerOf(request);
      const refused = SERVER_SCOPES.find(
        (scope) => body.values.scopes.includes(scope) && !may(caller, scope),
      );
      if (refused !== undefined) {
        return problemAnswer({
          type: "scope_missing",
          loc: ["body", "scopes"],
          msg: `Only a key that has the scope ${refused} can create another that has it. Create this one with such a key, or on the server with \`agate keys create … --data-dir\` or \`--registry\`.`,
        });
      }
      try {
        const created = await keys.create(caller.project, body.values);
        const headers = { "cache-control": "no-store" };
        return { ...jsonAnswer(JSON.stringify(created)), status: 201, headers };
      } catch (error) {
        if (!(error instanceof ProjectGoneError)) throw error;
        const msg = "The project was deleted meanwhile.";
        return problemAnswer({ type: "project_not_found", loc: ["header", "agate-project"], msg });
      }
    },
  };
}

function revokeRoute(keys: ApiKeys): Route {
  return {
    method: "DELETE",
    path: `${PATH}/{key}`,
    access: "admin",
    operation: {
      id: "revokeKey",
      tag: "access",
      summary: "Revoke an API key",
      description: "At once: events and logs that are being sent to it are broken off.",
      pathParameters: {
        key: {
          description: "Id of the key.",
          schema: { type: "string", examples: ["key_k3v5zq7m2c4nxw6brt2a"] },
        },
      },
      success: { status: 204, description: "The key opens nothing any more." },
      errors: ["key_not_found", "store_unavailable"],
    },
    handle: async (request) => {
      const id = request.params.key ?? "";
      const outcome = await keys.revoke(callerOf(request).project, id);
      if (outcome === "revoked") return { kind: "full", status: 204, contentType: null, body: "" };
      return problemAnswer({
        type: "key_not_found",
        loc: ["path", "key"],
        msg: `The project has no API key ${quoted(id)}. Keys are named by their id here: see the list of keys.`,
      });
    },
  };
}
