import type { Registry } from "../../../registry/registry.ts";
import { json } from "../../inputs/input-kinds.ts";
import type { Route } from "../../route.ts";
import { success } from "../../route.ts";
import { outcomeAnswer, registryRoute } from "./registry-route.ts";

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
      success: success("ApplicationSchema", "The schema."),
      errors: ["schema_not_found"],
      answer: async ({ ref }, reply) => outcomeAnswer(await applications.schema(ref), reply),
    }),
    registryRoute(maxBodyBytes, {
      method: "PUT",
      path: PATH,
      access: "admin",
      id: "putSchema",
      summary: "Tell the schema of an application",
      description:
        "Takes what the workflow answers at `GET /openapi.json`. Refused if a configuration that is live does not satisfy it.",
      body: () => json({ description: "OpenAPI, as the workflow answers it." }, { type: "object" }),
      success: success("ApplicationSchema", "The schema, as it is now."),
      errors: ["schema_invalid", "config_invalid"],
      answer: async ({ ref, body }, reply) =>
        outcomeAnswer(await applications.putSchema(ref, body), reply),
    }),
  ];
}
