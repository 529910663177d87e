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

/** The fields that inputs are edited by. */
export interface InputFields {
  readonly fields: readonly InputField[];
  /** The one field is not a member of the inputs but all of them: a text, a number, a choice. */
  readonly isWhole: boolean;
}

/** What a field is called in a draft that is all of the inputs. */
export const WHOLE = "";

/** The fields of the inputs; null where the schema does not name any, and inputs are written as JSON. */
export function inputFields(root: JsonSchema): InputFields | null {
  const schema = resolveSchema(root, root);
  const whole = fieldOf(root, WHOLE, schema, true);
  if (whole.control.kind !== "json") return { fields: [whole], isWhole: true };
  const members = membersOf(root, schema);
  return members && { fields: members, isWhole: false };
}

function membersOf(root: JsonSchema, schema: JsonSchema): readonly InputField[] | null {
  const { properties, required } = schema;
  if (!isRecord(properties) || ![undefined, "object"].includes(asText(schema.type))) return null;
  // Which fields there are depends on what is in them.
  if (["anyOf", "oneOf", "allOf", "if"].some((keyword) => keyword in schema)) return null;
  // A schema that names none and says nothing of others is what libraries write for "no inputs".
  const mayHaveOthers = (schema.additionalProperties ?? false) !== false;
  if (Object.keys(properties).length === 0 && mayHaveOthers) return null;
  const names = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.entries(properties).map(([name, property]) =>
    fieldOf(root, name, resolveSchema(root, property), names.has(name)),
  );
}

function fieldOf(
  root: JsonSchema,
  name: string,
  schema: JsonSchema,
  isRequired: boolean,
): InputField {
  return {
    name,
    ...readControl(root, schema),
    isRequired,
    title: asText(schema.title),
    description: asText(schema.description),
    default: schema.default,
    schema,
  };
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
