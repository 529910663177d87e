import type { ConfigFieldSchema, JsonSchema } from "@agate/protocol";
import { isRecord, resolveSchema } from "@agate/protocol";

/** One input of a route. */
export interface InputField {
  readonly name: string;
  readonly control: InputControl;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** The default of an omitted input; undefined if there is none. */
  readonly default: unknown;
  readonly schema: JsonSchema;
}

/** The fields of an input form. */
export interface InputFields {
  readonly fields: readonly InputField[];
  /** The inputs are not an object but a single text, number or choice. */
  readonly isWhole: boolean;
}

/** The name of the single field if the inputs are not an object. */
export const WHOLE = "";

/** Null if the schema declares no fields: the inputs are edited as JSON. */
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
  // Conditional schemas have no fixed fields.
  if (["anyOf", "oneOf", "allOf", "if"].some((keyword) => keyword in schema)) return null;
  // Schema libraries write "no inputs" as an object without properties.
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

/** How an input is edited. */
export type InputControl =
  | { readonly kind: "text"; readonly format: string | null }
  /** With its bounds, as a configuration field. */
  | { readonly kind: "number"; readonly field: ConfigFieldSchema }
  | { readonly kind: "boolean" }
  | { readonly kind: "choice"; readonly choices: readonly unknown[] }
  | { readonly kind: "texts" }
  /** Anything else, edited as JSON; `type` is the expected outer type. */
  | { readonly kind: "json"; readonly type: "object" | "array" | null };

interface ReadSchema {
  readonly control: InputControl;
  readonly isNullable: boolean;
}

/** The control for a schema. `null` beside one other type makes the control nullable. */
function readControl(root: JsonSchema, schema: unknown): ReadSchema {
  const resolved = resolveSchema(root, schema);
  const choices = choicesOf(resolved);
  if (choices !== undefined) {
    return { control: { kind: "choice", choices }, isNullable: choices.includes(null) };
  }
  const branches = resolved.anyOf ?? resolved.oneOf;
  if (Array.isArray(branches)) return readBranches(root, branches);
  const types = [resolved.type].flat();
  const others = types.filter((type) => type !== "null");
  const isNullable = others.length < types.length;
  return others.length === 1
    ? { control: controlOfType(root, resolved, others[0]), isNullable }
    : { control: ANYTHING, isNullable };
}

const ANYTHING: InputControl = { kind: "json", type: null };

function readBranches(root: JsonSchema, branches: readonly unknown[]): ReadSchema {
  const resolved = branches.map((branch) => resolveSchema(root, branch));
  const others = resolved.filter((branch) => branch.type !== "null");
  const isNullable = others.length < resolved.length;
  const [only] = others;
  if (only !== undefined && others.length === 1) {
    const inner = readControl(root, only);
    return withNull(inner, isNullable || inner.isNullable);
  }
  const choices = others.map(choicesOf);
  // A union of constants is a list of choices.
  if (choices.length > 0 && choices.every((each) => each !== undefined)) {
    return withNull(
      { control: { kind: "choice", choices: choices.flat() }, isNullable },
      isNullable,
    );
  }
  return { control: ANYTHING, isNullable };
}

/** A nullable choice offers null. */
function withNull({ control }: ReadSchema, isNullable: boolean): ReadSchema {
  if (control.kind !== "choice" || !isNullable || control.choices.includes(null)) {
    return { control, isNullable };
  }
  return { control: { kind: "choice", choices: [...control.choices, null] }, isNullable };
}

function choicesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, "const")) return [schema.const];
  return Array.isArray(schema.enum) && schema.enum.length > 0 ? schema.enum : undefined;
}

function controlOfType(root: JsonSchema, schema: JsonSchema, type: unknown): InputControl {
  switch (type) {
    case "string":
      return { kind: "text", format: typeof schema.format === "string" ? schema.format : null };
    case "number":
    case "integer":
      return { kind: "number", field: numberField(type, schema) };
    case "boolean":
      return { kind: "boolean" };
    case "array":
      return isPlainText(root, schema.items) ? { kind: "texts" } : { kind: "json", type: "array" };
    case "object":
      return { kind: "json", type: "object" };
    default:
      return ANYTHING;
  }
}

function isPlainText(root: JsonSchema, items: unknown): boolean {
  if (!isRecord(items)) return false;
  const { control, isNullable } = readControl(root, items);
  return control.kind === "text" && !isNullable;
}

function numberField(type: "number" | "integer", schema: JsonSchema): ConfigFieldSchema {
  const names = ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"] as const;
  const bounds = names.flatMap((name) =>
    typeof schema[name] === "number" ? [[name, schema[name]]] : [],
  );
  const initial = typeof schema.default === "number" ? schema.default : 0;
  return { type, default: initial, "x-ag-control": "slider", ...Object.fromEntries(bounds) };
}
