import type { Bounds, ConfigFieldKind } from "./config-schema.ts";

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
  // Not the value, unlike the type claims: BaseModel's constructor replaces it by the value before
  // other code sees it. The true type would make every field of every configuration a FieldSpec.
  return spec as Value;
}

export function isFieldSpec(value: unknown): value is FieldSpec {
  return typeof value === "object" && value !== null && MARKER in value;
}

declare const value: unique symbol;

/** What a field holds: contract 2.4. `Value` is the TypeScript type of the field. */
export interface FieldType<out Value, out Kind extends ConfigFieldKind = ConfigFieldKind> {
  readonly kind: Kind;
  /** Never there: carries the type. */
  readonly [value]?: Value;
}

/** Choices as they were declared: checked when the class and the field are known, for the message. */
export interface ChoiceType<out Value> extends FieldType<Value, "choice"> {
  readonly choices: readonly string[];
}

export interface GroupedChoiceType<out Value> extends FieldType<Value, "grouped-choice"> {
  readonly choices: Readonly<Record<string, readonly string[]>>;
}

/**
 * Text; a text area in the playground.
 *
 * @example
 * prompt = ag.Field(ag.str, { default: "Summarize in one paragraph." });
 */
export const str: FieldType<string, "str"> = Object.freeze({ kind: "str" });

/**
 * A whole number; a slider in the playground.
 *
 * @example
 * maxTokens = ag.Field(ag.int, { default: -1, ge: -1, le: 4096 });
 */
export const int: FieldType<number, "int"> = Object.freeze({ kind: "int" });

/**
 * A number; a slider in the playground.
 *
 * @example
 * temperature = ag.Field(ag.float, { default: 0.7, ge: 0, le: 2 });
 */
export const float: FieldType<number, "float"> = Object.freeze({ kind: "float" });

/**
 * True or false; a checkbox in the playground.
 *
 * @example
 * bullets = ag.Field(ag.bool, { default: false });
 */
export const bool: FieldType<boolean, "bool"> = Object.freeze({ kind: "bool" });

/**
 * One of a few strings; a dropdown in the playground.
 *
 * @example
 * tone = ag.Field(ag.MultipleChoice({ choices: ["plain", "formal"] }), { default: "plain" });
 */
export function MultipleChoice<const Choices extends readonly string[]>(options: {
  readonly choices: Choices;
}): ChoiceType<Choices[number]> {
  return { kind: "choice", choices: options.choices };
}

/**
 * One of a few strings that are shown in groups; a grouped dropdown in the playground.
 *
 * @example
 * model = ag.Field(ag.GroupedMultipleChoice({ choices: supportedLlmModels }), { default: "gpt-5-mini" });
 */
export function GroupedMultipleChoice<
  const Groups extends Readonly<Record<string, readonly string[]>>,
>(options: { readonly choices: Groups }): GroupedChoiceType<Groups[keyof Groups][number]> {
  return { kind: "grouped-choice", choices: options.choices };
}

/** `Annotated` over a type that has no choices: an error once the class and the field are known. */
export interface MisannotatedType {
  readonly kind: "misannotated";
  readonly base: unknown;
}

/**
 * The contract's way to write a choice; the same as the choice alone.
 *
 * @example
 * tone = ag.Field(ag.Annotated(ag.str, ag.MultipleChoice({ choices: ["plain", "formal"] })), {
 *   default: "plain",
 * });
 */
export function Annotated<Choice extends ChoiceType<string> | GroupedChoiceType<string>>(
  base: FieldType<string, "str">,
  choice: Choice,
): Choice;
export function Annotated<Type extends FieldType<unknown>>(base: Type): Type;
export function Annotated(
  base: FieldType<unknown>,
  choice?: FieldType<unknown>,
): FieldType<unknown> | MisannotatedType {
  if (choice === undefined) return base;
  return base.kind === "str" ? choice : { kind: "misannotated", base: base.kind };
}
