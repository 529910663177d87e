import { type ConfigFieldSchema, VARIABLE_SYNTAX } from "@agate/protocol";
import type { Bounds, ConfigField, ConfigSchema, ConfigType } from "./config-schema.ts";

/** A configuration in JSON Schema, draft 2020-12: any subset of the fields. */
export interface ConfigJsonSchema {
  readonly type: "object";
  readonly title: string;
  readonly properties: Readonly<Record<string, ConfigFieldSchema>>;
  readonly additionalProperties: false;
}

export function configJsonSchema(
  schema: Pick<ConfigSchema<unknown>, "name" | "fields">,
): ConfigJsonSchema {
  return {
    type: "object",
    title: schema.name,
    properties: propertiesOf(schema.fields),
    additionalProperties: false,
  };
}

function propertiesOf(fields: readonly ConfigField[]): ConfigJsonSchema["properties"] {
  return Object.fromEntries(
    fields.map((field) => [field.name, typeSchema(field, { default: field.default })]),
  );
}

function typeSchema(
  field: ConfigType,
  more: { readonly default?: unknown } = {},
): ConfigFieldSchema {
  const { type, ...keywords } = keywordsOf(field);
  const schema = {
    type: field.isNullable === true ? ([type, "null"] as const) : type,
    ...keywords,
    ...more,
    title: field.title,
    description: field.description,
    "x-ag-control": controlOf(field),
  };
  const given = Object.entries(schema).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as unknown as ConfigFieldSchema;
}

function keywordsOf(field: ConfigType) {
  switch (field.kind) {
    case "str":
      return { type: "string", ...variableKeywords(field.variables) } as const;
    case "int":
      return { type: "integer", ...limits(field.bounds) } as const;
    case "float":
      return { type: "number", ...limits(field.bounds) } as const;
    case "bool":
      return { type: "boolean" } as const;
    case "choice":
      return { type: "string", enum: choicesOf(field, field.choices) } as const;
    case "grouped-choice":
      return {
        type: "string",
        enum: choicesOf(field, [...new Set(Object.values(field.groups).flat())]),
        "x-ag-groups": field.groups,
      } as const;
    case "object": {
      const required = field.fields.filter(({ isRequired }) => isRequired);
      return {
        type: "object",
        properties: propertiesOf(field.fields),
        required: required.length === 0 ? undefined : required.map(({ name }) => name),
        additionalProperties: false,
      } as const;
    }
    case "list":
    case "messages":
      return {
        type: "array",
        items: typeSchema(field.items),
        minItems: field.minItems,
        maxItems: field.maxItems,
      } as const;
  }
}

function choicesOf({ isNullable }: ConfigType, choices: readonly string[]) {
  return isNullable === true ? [...choices, null] : choices;
}

/** The pattern tells other validators what `x-ag-variables` means: no variable but these. */
function variableKeywords(variables: readonly string[] | undefined) {
  if (variables === undefined) return {};
  const known = variables.map((name) => name.replaceAll("$", "\\$")).join("|");
  const other = VARIABLE_SYNTAX.replace("(", `(?!(?:${known})\\s*\\}\\})(?:`);
  return { pattern: `^(?![\\s\\S]*${other})`, "x-ag-variables": variables };
}

function limits({ ge, gt, le, lt }: Bounds) {
  return { minimum: ge, exclusiveMinimum: gt, maximum: le, exclusiveMaximum: lt };
}

/** How the playground shows a field: contract 2.4, and the kinds that the contract does not have. */
export type FieldControl =
  | "text-area"
  | "slider"
  | "checkbox"
  | "dropdown"
  | "grouped-dropdown"
  | "group"
  | "list"
  | "messages";

export function controlOf(type: ConfigType): FieldControl {
  switch (type.kind) {
    case "str":
      return "text-area";
    case "int":
    case "float":
      return "slider";
    case "bool":
      return "checkbox";
    case "choice":
      return "dropdown";
    case "grouped-choice":
      return "grouped-dropdown";
    case "object":
      return "group";
    case "list":
    case "messages":
      return type.kind;
  }
}
