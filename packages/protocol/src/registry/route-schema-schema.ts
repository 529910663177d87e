import { z } from "zod";
import type { ApplicationSchema, ConfigFieldSchema, RouteSchema } from "./route-schema.ts";

const fieldTypeSchema = z.enum(["string", "integer", "number", "boolean", "object", "array"]);

const configFieldSchema: z.ZodType<ConfigFieldSchema> = z
  .strictObject({
    type: z.union([fieldTypeSchema, z.tuple([fieldTypeSchema, z.literal("null")])]),
    default: z.unknown().exactOptional(),
    title: z.string().exactOptional(),
    description: z.string().exactOptional(),
    minimum: z.number().exactOptional(),
    exclusiveMinimum: z.number().exactOptional(),
    maximum: z.number().exactOptional(),
    exclusiveMaximum: z.number().exactOptional(),
    enum: z.array(z.string().nullable()).exactOptional(),
    pattern: z.string().exactOptional(),
    get properties() {
      return z.record(z.string(), configFieldSchema).exactOptional();
    },
    required: z.array(z.string()).exactOptional(),
    additionalProperties: z.literal(false).exactOptional(),
    get items() {
      return configFieldSchema.exactOptional();
    },
    minItems: z.int().exactOptional(),
    maxItems: z.int().exactOptional(),
    "x-ag-control": z.string(),
    "x-ag-groups": z.record(z.string(), z.array(z.string())).exactOptional(),
    "x-ag-variables": z.array(z.string()).exactOptional(),
  })
  .meta({ id: "ConfigField", description: "One field of a route's configuration." });

const routeSchemaSchema: z.ZodType<RouteSchema> = z
  .strictObject({
    route: z.string().meta({ description: "Its path as declared; the entrypoint is `/`." }),
    config: z.record(z.string(), configFieldSchema),
    inputs: z.record(z.string(), z.unknown()).meta({ description: "JSON Schema of the inputs." }),
  })
  .meta({ id: "RouteSchema" });

export const applicationSchemaSchema: z.ZodType<ApplicationSchema> = z
  .strictObject({
    routes: z.array(routeSchemaSchema),
    updated_at: z.iso.datetime().meta({ description: "When a workflow last told." }),
  })
  .meta({
    id: "ApplicationSchema",
    examples: [
      {
        routes: [
          {
            route: "/summarize",
            config: {
              temperature: {
                type: "number",
                default: 0.7,
                minimum: 0,
                maximum: 2,
                "x-ag-control": "slider",
              },
            },
            inputs: { type: "object", properties: { text: { type: "string" } } },
          },
        ],
        updated_at: "2026-11-15T10:00:00.000Z",
      },
    ],
  });
