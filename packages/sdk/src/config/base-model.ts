import { ConfigValidationError } from "./config-validation-error.ts";
import { isFieldSpec } from "./field.ts";
import type { Message } from "./messages.ts";
import type { ModelClass } from "./model-schema.ts";
import { declarationInProgress, defineValue, modelSchema } from "./model-schema.ts";

/** Tells the classes derived from BaseModel from other classes, in types. */
export const MODEL: unique symbol = Symbol.for("agate.sdk.base-model");

/** The value of a field of a class: of any of the six kinds, or messages. */
export type FieldValue = string | number | boolean | readonly Message[];

/**
 * Any subset of a configuration's fields, and of those of an object inside of it; a list is given as a
 * whole. Methods are no fields.
 */
export type FieldValues<Config> = {
  readonly [Name in keyof Config as Config[Name] extends Method ? never : Name]?:
    | PartOf<Config[Name]>
    | undefined;
};

type Method = (...args: never) => unknown;

type PartOf<Value> = Value extends readonly (infer Item)[]
  ? readonly Item[]
  : Value extends object
    ? FieldValues<Value>
    : Value;

/**
 * A configuration: the fields that a class derived from this one declares, each with a default.
 * `new SummarizeConfig()` has the defaults, `new SummarizeConfig({ temperature: 1 })` some other
 * values; a value that a field does not take is a ConfigValidationError.
 *
 * TypeScript knows no derived class in its parent's constructor. To have the values of `new` checked
 * by it as well, name the class: `class SummarizeConfig extends ag.BaseModel<SummarizeConfig>`.
 *
 * Methods and getters are welcome; private `#fields` are not, because the configuration that a
 * function is given is made without running the class's initialisers. What `new` gives is a proxy: all
 * the same but for `structuredClone`, which takes `{ ...config }`.
 *
 * @example
 * class SummarizeConfig extends ag.BaseModel {
 *   prompt = ag.Field(ag.str, { default: "Summarize in one paragraph." });
 *   temperature = ag.Field(ag.float, { default: 0.7, ge: 0, le: 2 });
 * }
 */
export class BaseModel<Self = Readonly<Record<string, FieldValue>>> {
  static readonly [MODEL] = true;

  constructor(values: FieldValues<Self> = {}) {
    // The initialisers of the derived class run after this constructor, and they put a FieldSpec where
    // the value belongs. A proxy is the only thing that sees both ways of writing a member: definition,
    // as the language has it, and assignment, as TypeScript had it (`useDefineForClassFields: false`).
    // biome-ignore lint/correctness/noConstructorReturn: nothing else comes between the two.
    return catchMembers(this, declarationInProgress(new.target) ?? checked(new.target, values));
  }
}

function checked(
  model: ModelClass,
  values: unknown,
): (key: PropertyKey, value: unknown) => unknown {
  const schema = modelSchema(model);
  const outcome = schema.parse(values, { unknownFields: "refuse" });
  if (outcome.kind === "invalid") throw new ConfigValidationError(schema.name, outcome.issues);
  const config = outcome.config as Readonly<Record<PropertyKey, unknown>>;
  return (key, value) => (isFieldSpec(value) ? config[key] : value);
}

/** Writes something else wherever a member is written. */
function catchMembers<T extends object>(
  instance: T,
  replace: (key: string | symbol, value: unknown) => unknown,
): T {
  return new Proxy(instance, {
    defineProperty(target, key, descriptor) {
      return "value" in descriptor
        ? Reflect.defineProperty(target, key, {
            ...descriptor,
            value: replace(key, descriptor.value),
          })
        : Reflect.defineProperty(target, key, descriptor);
    },
    set(target, key, value, receiver) {
      // Ordinary assignment ends in `defineProperty` above, but for `__proto__` it never gets there.
      return isFieldSpec(value)
        ? defineValue(target, key, replace(key, value))
        : Reflect.set(target, key, value, receiver);
    },
  });
}
