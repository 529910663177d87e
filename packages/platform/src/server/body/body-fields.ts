import { shownValue } from "@agate/protocol";
import type { Problem } from "../errors/error-answer.ts";

export type ParsedField<Value> =
  | { readonly kind: "value"; readonly value: Value }
  /** "a whole number from 0" */
  | { readonly kind: "wrong"; readonly takes: string };

/** A field of a JSON body: how it is read, and what the OpenAPI document says about it. */
export interface BodyField<Value, IsRequired extends boolean = boolean> {
  /** An optional field may be absent or null. */
  readonly isRequired: IsRequired;
  /** JSON Schema of its value. */
  readonly schema: Readonly<Record<string, unknown>> & { readonly description: string };
  readonly parse: (value: unknown) => ParsedField<Value>;
}

export type BodyFields = Readonly<Record<string, BodyField<unknown>>>;

type ValueOf<Field> = Field extends BodyField<infer Value> ? Value : never;

/** An optional field that was not given is null. */
export type FieldValues<Fields extends BodyFields> = {
  readonly [Key in keyof Fields]:
    | ValueOf<Fields[Key]>
    | (Fields[Key] extends BodyField<unknown, true> ? never : null);
};

export type FieldsOutcome<Fields extends BodyFields> =
  | { readonly kind: "values"; readonly values: FieldValues<Fields> }
  | { readonly kind: "problems"; readonly problems: readonly [Problem, ...Problem[]] };

/**
 * Reads these fields from a JSON value, which must be an object that has no others. All problems are
 * reported at once.
 */
export function readFields<Fields extends BodyFields>(
  fields: Fields,
  json: unknown,
): FieldsOutcome<Fields> {
  const names = Object.keys(fields);
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    const msg = `Takes an object with ${listed(names)}, not ${shownValue(json)}.`;
    return { kind: "problems", problems: [{ type: "body_invalid", loc: ["body"], msg }] };
  }
  const given = new Map(Object.entries(json));
  const values: [string, unknown][] = [];
  const problems: Problem[] = [];
  const refuse = (name: string, msg: string) =>
    problems.push({ type: "body_invalid", loc: ["body", name], msg });
  for (const [name, { isRequired, schema, parse }] of Object.entries(fields)) {
    const value = given.get(name);
    given.delete(name);
    if (value === undefined && isRequired) {
      refuse(name, `Must be given. ${schema.description}`);
    } else if (!isRequired && (value === undefined || value === null)) {
      values.push([name, null]);
    } else {
      const parsed = parse(value);
      if (parsed.kind === "value") values.push([name, parsed.value]);
      else refuse(name, `Takes ${parsed.takes}, not ${shownValue(value)}.`);
    }
  }
  for (const name of given.keys()) refuse(name, `There is no such field. Takes ${listed(names)}.`);
  const [first, ...others] = problems;
  return first === undefined
    ? { kind: "values", values: Object.fromEntries(values) as FieldValues<Fields> }
    : { kind: "problems", problems: [first, ...others] };
}

/** JSON Schema of the object that {@link readFields} takes. */
export function fieldsSchema(fields: BodyFields): Record<string, unknown> {
  const entries = Object.entries(fields);
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([name, { isRequired, schema }]) => [name, isRequired ? schema : orNull(schema)]),
    ),
    required: entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
    additionalProperties: false,
  };
}

function orNull(schema: BodyField<unknown>["schema"]): Record<string, unknown> {
  return { ...schema, type: [schema.type, "null"] };
}

function listed(names: readonly string[]): string {
  if (names.length < 2) return `only ${names[0]}`;
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
