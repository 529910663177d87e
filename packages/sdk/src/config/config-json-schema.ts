import type { ConfigFieldSchema } from "@agate/protocol";
import type { Bounds, ConfigField } from "./config-field.ts";
import type { ConfigSchema } from "./config-schema.ts";
import type { FieldControl } from "./field-control.ts";
import { controlOf } from "./field-control.ts";

/** A field in JSON Schema. */
export interface FieldJsonSchema extends ConfigFieldSchema {
  readonly "x-ag-control": FieldControl;
}

/** A configuration in JSON Schema, draft 2020-12: any subset of the fields. */
export interface ConfigJsonSchema {
  readonly type: "object";
  readonly title: string;
  readonly properties: Readonly<Record<string, FieldJsonSchema>>;
  readonly additionalProperties: false;
}

export function configJsonSchema(
  schema: Pick<ConfigSchema<unknown>, "name" | "fields">,
): ConfigJsonSchema {
  return {
    type: "object",
    title: schema.name,
    properties: Object.fromEntries(schema.fields.map((field) => [field.name, fieldSchema(field)])),
    additionalProperties: false,
  };
}

function fieldSchema(field: ConfigField): FieldJsonSchema {
  return {
    ...typeOf(field),
    default: field.default,
    ...(field.title === undefined ? {} : { title: field.title }),
    ...(field.description === undefined ? {} : { description: field.description }),
    "x-ag-control": controlOf(field),
  };
}

function typeOf(field: ConfigField): Omit<FieldJsonSchema, "default" | "x-ag-control"> {
  switch (field.kind) {
    case "str":
      return { type: "string" };
    case "int":
      return { type: "integer", ...limits(field.bounds) };
    case "float":
      return { type: "number", ...limits(field.bounds) };
    case "bool":
      return { type: "boolean" };
    case "choice":
      return { type: "string", enum: field.choices };
    case "grouped-choice":
      return {
        type: "string",
        enum: [...new Set(Object.values(field.groups).flat())],
        "x-ag-groups": field.groups,
      };
  }
}

function limits({ ge, gt, le, lt }: Bounds) {
  return {
    ...(ge === undefined ? {} : { minimum: ge }),
    ...(gt === undefined ? {} : { exclusiveMinimum: gt }),
    ...(le === undefined ? {} : { maximum: le }),
    ...(lt === undefined ? {} : { exclusiveMaximum: lt }),
  };
}
