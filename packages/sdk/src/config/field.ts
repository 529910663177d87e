import type { Bounds, ConfigFieldKind } from "./config-field.ts";
import type { FieldType } from "./field-type.ts";

const MARKER = Symbol.for("agate.sdk.field");

/** A parameter as a BaseModel class declares it; nothing of it is checked yet. */
export interface FieldSpec {
  readonly [MARKER]: true;
  readonly type: unknown;
  readonly options: Readonly<Record<string, unknown>>;
}

interface AnyFieldOptions<Value> {
  /** Shown in the playground when the application is first run. */
  readonly default: Value extends readonly (infer Item)[] ? readonly Item[] : Value;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/** Only numbers have bounds. */
export type FieldOptions<Value, Kind extends ConfigFieldKind> = Kind extends "int" | "float"
  ? AnyFieldOptions<Value> & Bounds
  : AnyFieldOptions<Value>;

/**
 * A parameter of a configuration. Every parameter has a default.
 *
 * @example
 * class SummarizeConfig extends ag.BaseModel {
 *   temperature = ag.Field(ag.float, { default: 0.7, ge: 0, le: 2 });
 * }
 */
export function Field<Value, Kind extends ConfigFieldKind>(
  type: FieldType<Value, Kind>,
  options: FieldOptions<NoInfer<Value>, NoInfer<Kind>>,
): Value {
  const spec: FieldSpec = { [MARKER]: true, type, options: { ...options } };
  // Not the value, whatever the type says: BaseModel's constructor puts the value in its place before
  // anybody can see it. Saying so in the type would make every field of every configuration a FieldSpec.
  return spec as Value;
}

export function isFieldSpec(value: unknown): value is FieldSpec {
  return typeof value === "object" && value !== null && MARKER in value;
}
