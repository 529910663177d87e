import { shownChoices } from "../shown-value.ts";
import type { ConfigFieldSchema } from "./route-schema.ts";

/**
 * What a field takes, when it does not take this value: "a number of at most 2". It knows the keywords
 * that the SDK writes into a workflow's `/openapi.json`, and says it in the SDK's own words. The
 * registry checks what is committed with it, and the playground what is typed.
 */
export function refusedBy(field: ConfigFieldSchema, value: unknown): string | undefined {
  switch (field.type) {
    case "string":
      if (field.enum !== undefined) {
        return field.enum.some((choice) => choice === value)
          ? undefined
          : shownChoices([...new Set(field.enum)]);
      }
      return typeof value === "string" ? undefined : "a string";
    case "boolean":
      return typeof value === "boolean" ? undefined : "true or false";
    case "integer":
      if (!Number.isInteger(value)) return "a whole number";
      // A larger one is not the number that somebody wrote any more.
      if (!Number.isSafeInteger(value)) return "a whole number of at most 53 bits";
      return outOfBounds(field, value as number);
    case "number":
      return Number.isFinite(value) ? outOfBounds(field, value as number) : "a number";
  }
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
