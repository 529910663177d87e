import { type InputControl, readControl } from "./input-control.ts";
import { isRecord, type JsonSchema, resolveSchema } from "./json-schema.ts";

/** One input of a route. */
export interface InputField {
  readonly name: string;
  readonly control: InputControl;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** What the route takes where the input is left out; undefined when it does not say. */
  readonly default: unknown;
  readonly schema: JsonSchema;
}

/** The fields of the inputs; null where the schema does not name any, and inputs are written as JSON. */
export function inputFields(root: JsonSchema): readonly InputField[] | null {
  const schema = resolveSchema(root, root);
  const { properties, required } = schema;
  if (!isRecord(properties) || ![undefined, "object"].includes(asText(schema.type))) return null;
  // Which fields there are depends on what is in them.
  if (["anyOf", "oneOf", "allOf", "if"].some((keyword) => keyword in schema)) return null;
  if (Object.keys(properties).length === 0 && schema.additionalProperties !== false) return null;
  const names = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.entries(properties).map(([name, property]) => {
    const resolved = resolveSchema(root, property);
    return {
      name,
      ...readControl(root, resolved),
      isRequired: names.has(name),
      title: asText(resolved.title),
      description: asText(resolved.description),
      default: resolved.default,
      schema: resolved,
    };
  });
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
