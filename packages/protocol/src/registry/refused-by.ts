import { shownChoices } from "../shown-value.ts";
import { templateName, unknownVariable } from "../template.ts";
import type { ConfigFieldSchema } from "./route-schema.ts";
import { fieldType, isNullable } from "./route-schema.ts";

/**
 * What a field takes, when it does not take this value: "a number of at most 2". It knows the keywords
 * that the SDK writes into a workflow's `/openapi.json`, and says it in the SDK's own words. Of objects
 * and lists it looks at the outside only: `configFaults` looks into them.
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
      // A larger one is not the number that somebody wrote any more.
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
      : shownChoices([...new Set(choices)]);
  }
  if (typeof value !== "string") return "a string";
  const variables = field["x-ag-variables"];
  return variables === undefined || unknownVariable(value, variables) === undefined
    ? undefined
    : templateName(variables);
}

function outOfBounds(field: ConfigFieldSchema, value: number): string | undefined {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = field;
  if (minimum !== undefined && value < minimum) return `a number of at least ${minimum}`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
    return `a number greater than ${exclusiveMinimum}`;
  }
  if (maximum !== undefined && value > maximum) return `a number of at most ${maximum}`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) {
    return `a number less than ${exclusiveMaximum}`;
  }
  return undefined;
}

function wrongLength({ minItems, maxItems }: ConfigFieldSchema, length: number) {
  if (minItems !== undefined && length < minItems) return `at least ${itemCount(minItems)}`;
  if (maxItems !== undefined && length > maxItems) return `at most ${itemCount(maxItems)}`;
  return undefined;
}

/** @example itemCount(1) // 1 item */
export function itemCount(count: number): string {
  return count === 1 ? "1 item" : `${count} items`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
