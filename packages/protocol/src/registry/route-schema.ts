import { z } from "zod";

export type ConfigFieldType = "string" | "integer" | "number" | "boolean" | "object" | "array";

/** The schema of one field of a configuration, as the workflow's own `/openapi.json` has it. */
export interface ConfigFieldSchema {
  /** With `"null"` beside it where `null` is a value of the field, too. */
  readonly type: ConfigFieldType | readonly [ConfigFieldType, "null"];
  /** Without one the field is left out where nothing is given, unless its object requires it. */
  readonly default?: unknown;
  readonly title?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  readonly enum?: readonly (string | null)[];
  readonly pattern?: string;
  /** Of an object: its fields, in the order of their declaration. */
  readonly properties?: Readonly<Record<string, ConfigFieldSchema>>;
  /** Of an object: the fields without a default that have to be given. */
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  /** Of a list. */
  readonly items?: ConfigFieldSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** How the playground shows it. */
  readonly "x-ag-control": string;
  /** The `enum` by group; a choice may be in several. */
  readonly "x-ag-groups"?: Readonly<Record<string, readonly string[]>>;
  /** The only `{{variables}}` that a text may have. */
  readonly "x-ag-variables"?: readonly string[];
}

/** A route of a workflow: its configuration fields and its inputs. */
export interface RouteSchema {
  /** As it was declared: `/summarize`; the entrypoint is `/`. */
  readonly route: string;
  /** Field → schema, in the order of their declaration. */
  readonly config: Readonly<Record<string, ConfigFieldSchema>>;
  /** JSON Schema of the inputs, references resolved against `components` of the document. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** `GET /registry/applications/{app}/schema`. */
export interface ApplicationSchema {
  readonly routes: readonly RouteSchema[];
  /** When a workflow last reported it. */
  readonly updated_at: string;
}

const fieldTypeSchema = z.enum(["string", "integer", "number", "boolean", "object", "array"]);

export const configFieldSchema: z.ZodType<ConfigFieldSchema> = z
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
    updated_at: z.iso.datetime().meta({ description: "When a workflow last reported it." }),
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
