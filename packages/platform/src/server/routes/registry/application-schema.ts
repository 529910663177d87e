import type { Registry } from "../../../registry/registry.ts";
import { JSON_TYPE } from "../../answer.ts";
import { JSON_BODY_ERRORS } from "../../body/read-body-fields.ts";
import { readJsonBody } from "../../body/read-json-body.ts";
import { problemAnswer } from "../../errors/error-answer.ts";
import type { Route } from "../route.ts";
import { callerOf } from "../route.ts";
import { PATH_PARAMETERS } from "./path-parameters.ts";
import { documentAnswer, documented, outcomeAnswer } from "./registry-answer.ts";
import { registryRoute } from "./registry-route.ts";

const PATH = "/registry/applications/{app}/schema";

export function applicationSchemaRoutes({ applications }: Registry, maxBodyBytes: number): Route[] {
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: PATH,
      access: "read",
      id: "getSchema",
      summary: "Get the schema of an application",
      description: "Its routes: the fields of their configurations, and their inputs.",
      success: documented("ApplicationSchema", "The schema."),
      errors: ["schema_not_found"],
      answer: async ({ ref }) => outcomeAnswer(await applications.schema(ref), documentAnswer),
    }),
    putSchemaRoute(applications, maxBodyBytes),
  ];
}

/** By itself, because its body is a document of another's making and not a few fields of ours. */
function putSchemaRoute(applications: Registry["applications"], maxBodyBytes: number): Route {
  const document = { type: "object", description: "OpenAPI, as the workflow answers it." };
  return {
    method: "PUT",
    path: PATH,
    access: "admin",
    operation: {
      id: "putSchema",
      tag: "registry",
      summary: "Tell the schema of an application",
      description:
        "Takes what the workflow answers at `GET /openapi.json`. Refused if a configuration that is live does not satisfy it.",
      pathParameters: { app: PATH_PARAMETERS.app },
      requestBody: { [JSON_TYPE]: { schema: document } },
      success: documented("ApplicationSchema", "The schema, as it is now."),
      errors: [
        "application_not_found",
        ...JSON_BODY_ERRORS,
        "schema_invalid",
        "config_invalid",
        "store_unavailable",
      ],
    },
    handle: async (request) => {
      const body = await readJsonBody(request, maxBodyBytes);
      if (body.kind === "problem") return problemAnswer(body.problem);
      const openapi = body.kind === "json" ? body.value : undefined;
      const ref = {
        project: callerOf(request).project,
        application: request.params.app ?? "",
      };
      return outcomeAnswer(await applications.putSchema(ref, openapi), documentAnswer);
    },
  };
}
