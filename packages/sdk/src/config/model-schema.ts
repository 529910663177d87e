import { shownValue } from "@agate/protocol";
import type {
  ConfigField,
  ConfigFieldKind,
  ConfigOutcome,
  ConfigSchema,
  ParseOptions,
} from "./config-schema.ts";
import { copyData } from "./copy-data.ts";
import { DeclarationError } from "./declaration-error.ts";
import { declaredField } from "./declared-field.ts";
import { isFieldSpec } from "./field.ts";
import { createFieldReader, defaultsOf } from "./field-reader.ts";

/** A class derived from BaseModel, as far as this file has to know it. */
export type ModelClass = new () => object;

/** A schema that answers at once: nothing in a class can wait. */
export interface ModelSchema extends ConfigSchema<object> {
  parse(values: unknown, options: ParseOptions): ConfigOutcome<object>;
}

/** Takes the members that a class declares, one by one; gives what the declaring instance holds instead. */
export type DeclareMember = (key: string | symbol, value: unknown) => unknown;

const schemas = new WeakMap<ModelClass, ModelSchema>();
const declarations = new WeakMap<ModelClass, DeclareMember>();

/** Where a class's members go while it is being read; undefined at every other time. */
export function declarationInProgress(model: ModelClass): DeclareMember | undefined {
  return declarations.get(model);
}

/** @throws DeclarationError when a field of the class is declared wrongly. */
export function modelSchema(model: ModelClass): ModelSchema {
  const known = schemas.get(model);
  if (known !== undefined) return known;
  const schema = readModel(model);
  schemas.set(model, schema);
  return schema;
}

function readModel(model: ModelClass): ModelSchema {
  const name = model.name || "the configuration class";
  const fields = Object.freeze(declaredFields(model, name));
  const read = createFieldReader(fields);
  const build = createBuilder(model, fields);
  return {
    name,
    fields,
    declaration: model,
    defaults: defaultsOf(fields),
    parse(values, options) {
      const { given, issues } = read(values, options);
      return issues.length === 0
        ? { kind: "valid", config: build(given) }
        : { kind: "invalid", issues };
    },
  };
}

/**
 * A class says what its fields are only by running their initialisers, so one instance is made for
 * that. A subclass's field takes the place of its parent's.
 */
function declaredFields(model: ModelClass, owner: string): ConfigField[] {
  const fields = new Map<string, ConfigField>();
  declarations.set(model, (key, value) => {
    if (typeof key === "symbol") {
      throw new DeclarationError(`${owner}: ${String(key)} is not a field. Fields have names.`);
    }
    if (!isFieldSpec(value)) {
      throw new DeclarationError(`${owner}.${key}: ${notAField(key, value)}`);
    }
    const field = declaredField(
      { owner, name: key, example: (kind) => fieldExample(key, kind) },
      value,
    );
    fields.set(key, field);
    return copyData(field.default);
  });
  try {
    Reflect.construct(model, []);
  } finally {
    declarations.delete(model);
  }
  return [...fields.values()];
}

/** Makes an instance without running the class's initialisers, for the calls of a busy route. */
function createBuilder(model: ModelClass, fields: readonly ConfigField[]) {
  const prototype = model.prototype as object;
  // Assignment is fast, but for a name that is on the prototype (`__proto__`, an accessor) it may
  // call something instead of making a property.
  const isAssignable = fields.every(({ name }) => !(name in prototype));
  return (given: readonly unknown[]): object => {
    const instance = Object.create(prototype) as Record<string, unknown>;
    for (let position = 0; position < fields.length; position++) {
      const { name, default: fallback } = fields[position]!;
      const value = given[position] ?? fallback;
      if (isAssignable) instance[name] = value;
      else defineValue(instance, name, value);
    }
    return instance;
  };
}

export function defineValue(target: object, key: PropertyKey, value: unknown): boolean {
  return Reflect.defineProperty(target, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

/** A class has no fields that are objects or lists of anything: those are declared with zod. */
type ClassFieldKind = Exclude<ConfigFieldKind, "object" | "list">;

const EXAMPLES: Readonly<Record<ClassFieldKind, { type: string; value: unknown }>> = {
  str: { type: "ag.str", value: "..." },
  int: { type: "ag.int", value: 0 },
  float: { type: "ag.float", value: 0.5 },
  bool: { type: "ag.bool", value: false },
  choice: { type: "ag.MultipleChoice({ choices: [...] })", value: "..." },
  "grouped-choice": { type: "ag.GroupedMultipleChoice({ choices: {...} })", value: "..." },
  messages: { type: "ag.Messages()", value: [{ role: "system", content: "..." }] },
};

/** How a class declares a field, for a message that says what to write. */
function fieldExample(name: string, kind: ConfigFieldKind, value?: unknown): string {
  const { type, value: example } = EXAMPLES[kind as ClassFieldKind];
  const shown = kind === "messages" ? JSON.stringify(example) : shownValue(value ?? example);
  return `${name} = ag.Field(${type}, { default: ${shown} })`;
}

/** What to do about a member of a class that is not a field. */
function notAField(name: string, value: unknown): string {
  switch (typeof value) {
    case "function":
      return `A function is not a field. Write it as a method: ${name}() { ... }.`;
    case "string":
      return instead(fieldExample(name, "str", value));
    case "boolean":
      return instead(fieldExample(name, "bool", value));
    case "number":
      return instead(fieldExample(name, Number.isInteger(value) ? "int" : "float", value));
    default:
      return instead(fieldExample(name, typeKind(value) ?? "str"));
  }
}

function instead(example: string): string {
  return `Every member is a field with a default. Write ${example}.`;
}

/** The kind of `ag.int` in `foo = ag.int`, where `Field` was forgotten. */
function typeKind(value: unknown): ClassFieldKind | undefined {
  if (typeof value !== "object" || value === null || !("kind" in value)) return undefined;
  const { kind } = value;
  return typeof kind === "string" && Object.hasOwn(EXAMPLES, kind)
    ? (kind as ClassFieldKind)
    : undefined;
}
