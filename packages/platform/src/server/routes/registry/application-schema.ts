import * as z from "zod/mini";
import type { Registry } from "../../../registry/registry.ts";
import { json, text } from "../../inputs/input-kinds.ts";
import type { Route } from "../../route.ts";
import { success } from "../../route.ts";
import { beyondLimit, outcomeAnswer, registryRoute } from "./registry-route.ts";

const PATH = "/registry/applications/{app}/schema";

const schemaQuery = () =>
  z.object({
    environment: z.optional(
      text({
        description: "Slug or id of an environment; without it, the application's default one.",
        example: "staging",
      }),
    ),
  });

export function applicationSchemaRoutes(registry: Registry, maxBodyBytes: number): Route[] {
  const { applications } = registry;
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: PATH,
      access: "read",
      id: "getSchema",
      summary: "Get the schema of an application",
      description:
        "Of the build that is live in an environment: the fields of its routes' configurations, and their inputs. Without `environment`, of the default one, or where nothing is live there, of the newest build.",
      query: schemaQuery,
      success: success("ApplicationSchema", "The schema."),
      errors: ["schema_not_found", "environment_not_found", "text_too_long"],
      answer: async ({ ref, query }, reply) =>
        outcomeAnswer(await applications.schema(ref, query.environment ?? null), reply),
    }),
    registryRoute(maxBodyBytes, {
      method: "PUT",
      path: PATH,
      access: "admin",
      limitedKeys: "checked",
      id: "putSchema",
      summary: "Register a workflow that runs elsewhere",
      description:
        "Takes what the workflow answers at `GET /openapi.json` as the code of an environment, and keeps the configuration that is live there, or deploys the variant `default`. Refused if that configuration does not satisfy it, and where the platform itself runs a build.",
      query: schemaQuery,
      body: () =>
        json(
          { description: "OpenAPI, as the workflow answers it." },
          { type: "object", properties: { paths: { type: "object" } }, required: ["paths"] },
        ),
      success: success("ApplicationSchema", "The schema, as it is now."),
      errors: [
        "schema_invalid",
        "config_invalid",
        "breaking_change",
        "still_live",
        "environment_not_found",
        "text_too_long",
      ],
      answer: async ({ ref, body, query, caller }, reply) => {
        const { environment = null } = query;
        const named = environment === null ? null : ({ name: environment, in: "query" } as const);
        const beyond = await beyondLimit(registry, caller, ref, named);
        if (beyond !== undefined) return beyond;
        const options = { environment, by: caller.name };
        return outcomeAnswer(await applications.putSchema(ref, body, options), reply);
      },
    }),
  ];
}
