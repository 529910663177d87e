import { unknownName } from "../closest-name.ts";
import { isRecord } from "../json-value.ts";
import { choiceList, mustBe, shownValue } from "../shown-value.ts";
import { templateName, unknownVariable } from "../template.ts";
import type { ConfigFieldSchema, ConfigFieldType } from "./route-schema.ts";

/** Something wrong with the values of a configuration. */
export type ConfigFault = {
  /** From the configuration to the part that is wrong: `["retrieval", "weights", 2]`. */
  readonly path: readonly (string | number)[];
  /** A sentence: "Must be 2 or less (got 3)." */
  readonly message: string;
} & (
  | { readonly kind: "refused"; readonly allowed: string; readonly given: string }
  /** It has no default, and its object lacks it. */
  | { readonly kind: "missing" }
  /** There is no such field. */
  | { readonly kind: "unknown" }
);

type Fields = Readonly<Record<string, ConfigFieldSchema>>;

/**
 * Checks the values of a configuration, which may be any subset of its fields. The registry runs it on
 * commits, the playground on edits. Stored configurations pass `unknownFields: "ignore"`: suggesting a
 * name for each of a million unknown fields would take minutes.
 */
export function configFaults(
  fields: Fields,
  values: Readonly<Record<string, unknown>>,
  { unknownFields = "refuse" }: { readonly unknownFields?: "refuse" | "ignore" } = {},
): Iterable<ConfigFault> {
  return new FaultFinder(unknownFields === "refuse").ofFields({ properties: fields }, values, []);
}

class FaultFinder {
  readonly #refusesUnknown: boolean;

  constructor(refusesUnknown: boolean) {
    this.#refusesUnknown = refusesUnknown;
  }

  *ofFields(
    { properties = {}, required = [] }: Pick<ConfigFieldSchema, "properties" | "required">,
    values: Readonly<Record<string, unknown>>,
    at: ConfigFault["path"],
  ): Iterable<ConfigFault> {
    for (const [name, field] of Object.entries(properties)) {
      const path = [...at, name];
      // An undefined field, as drafts have them, equals a missing one.
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value !== undefined) yield* this.#ofValue(field, value, path);
      else if (required.includes(name)) {
        yield { path, kind: "missing", message: "Required: it has no default." };
      }
    }
    if (!this.#refusesUnknown) return;
    for (const name of Object.keys(values)) {
      if (Object.hasOwn(properties, name)) continue;
      const message = unknownName("field", name, Object.keys(properties));
      yield { path: [...at, name], kind: "unknown", message };
    }
  }

  *#ofValue(
    field: ConfigFieldSchema,
    value: unknown,
    path: ConfigFault["path"],
  ): Iterable<ConfigFault> {
    const allowed = refusedBy(field, value);
    if (allowed !== undefined) {
      const given = shownRefused(field, value);
      yield { path, kind: "refused", allowed, given, message: mustBe(allowed, given) };
    } else if (isRecord(value)) {
      yield* this.ofFields(field, value, path);
    } else if (Array.isArray(value) && field.items !== undefined) {
      for (const [index, item] of value.entries()) {
        yield* this.#ofValue(field.items, item, [...path, index]);
      }
    }
  }
}

function shownRefused(field: ConfigFieldSchema, value: unknown): string {
  if (Array.isArray(value) && (field.minItems ?? field.maxItems) !== undefined) {
    return `a list of ${value.length}`;
  }
  const variables = field["x-ag-variables"];
  const unknown =
    typeof value === "string" && variables !== undefined
      ? unknownVariable(value, variables)
      : undefined;
  return unknown === undefined ? shownValue(value) : `{{${unknown}}}`;
}

/**
 * What a field allows, if it rejects this value: "2 or less". Checks the keywords that the
 * SDK writes into a workflow's `/openapi.json`, with the SDK's own wording. Shallow: the contents of
 * objects and lists are checked by {@link configFaults}.
 */
export function refusedBy(field: ConfigFieldSchema, value: unknown): string | undefined {
  if (value === null && isNullable(field)) return undefined;
  switch (fieldType(field)) {
    case "string":
      return refusedText(field, value);
    case "boolean":
      return typeof value === "boolean" ? undefined : "true or false";
    case "integer":
      if (!Number.isInteger(value)) return "a whole number";
      // A double cannot hold a larger one exactly.
      if (!Number.isSafeInteger(value)) return "a whole number of at most 53 bits";
      return outOfBounds(field, value as number);
    case "number":
      return Number.isFinite(value) ? outOfBounds(field, value as number) : "a number";
    case "object":
      return isRecord(value) ? undefined : "an object of fields";
    case "array":
      return Array.isArray(value) ? wrongLength(field, value.length) : "a list";
  }
}

function refusedText(field: ConfigFieldSchema, value: unknown): string | undefined {
  if (field.enum !== undefined) {
    const choices = field.enum.filter((choice) => choice !== null);
    return choices.some((choice) => choice === value)
      ? undefined
      : choiceList([...new Set(choices)]);
  }
  if (typeof value !== "string") return "a string";
  const variables = field["x-ag-variables"];
  return variables === undefined || unknownVariable(value, variables) === undefined
    ? undefined
    : templateName(variables);
}

function outOfBounds(field: ConfigFieldSchema, value: number): string | undefined {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = field;
  if (minimum !== undefined && value < minimum) return `${minimum} or more`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
    return `greater than ${exclusiveMinimum}`;
  }
  if (maximum !== undefined && value > maximum) return `${maximum} or less`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) {
    return `less than ${exclusiveMaximum}`;
  }
  return undefined;
}

function wrongLength({ minItems, maxItems }: ConfigFieldSchema, length: number) {
  if (minItems !== undefined && length < minItems)
    return `a list of at least ${itemCount(minItems)}`;
  if (maxItems !== undefined && length > maxItems)
    return `a list of at most ${itemCount(maxItems)}`;
  return undefined;
}

/** @example itemCount(1) // 1 item */
export function itemCount(count: number): string {
  return count === 1 ? "1 item" : `${count} items`;
}

/** The field's type, leaving aside whether it is nullable. */
export function fieldType({ type }: Pick<ConfigFieldSchema, "type">): ConfigFieldType {
  return typeof type === "string" ? type : type[0];
}

export function isNullable({ type }: Pick<ConfigFieldSchema, "type">): boolean {
  return typeof type !== "string";
}
