import type { ConfigFieldSchema } from "@agate/protocol";
import { fieldType, isRecord } from "@agate/protocol";

/** The initial value of a field that was not set, or of a new list item. */
export function blankValue(field: ConfigFieldSchema): unknown {
  if (field.default !== undefined && field.default !== null) return field.default;
  switch (fieldType(field)) {
    case "string":
      return field.enum?.find((choice) => choice !== null) ?? "";
    case "boolean":
      return false;
    case "integer":
    case "number":
      return blankNumber(field);
    case "array":
      return Array.from({ length: field.minItems ?? 0 }, () =>
        field.items === undefined ? null : blankValue(field.items),
      );
    case "object":
      return blankFields(field);
  }
}

function blankNumber(field: ConfigFieldSchema): number {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = field;
  const step = fieldType(field) === "integer" ? 1 : (exclusiveMaximum ?? 1) > 0 ? 0.1 : -0.1;
  const lowest = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + step);
  const highest = maximum ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - step);
  return Math.min(Math.max(0, lowest ?? 0), highest ?? Number.POSITIVE_INFINITY);
}

function blankFields({ properties = {}, required = [] }: ConfigFieldSchema): unknown {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, inner]) =>
      inner.default !== undefined || required.includes(name)
        ? [[name, inner.default === undefined ? blankValue(inner) : inner.default] as const]
        : [],
    ),
  );
}

const ROLES = ["system", "user", "assistant"] as const;

/** The most likely next message of a prompt. */
export function nextMessage(messages: readonly unknown[]): { role: string; content: string } {
  const last = messages.at(-1);
  const role = isRecord(last) ? last.role : undefined;
  if (messages.length === 0) return { role: ROLES[0], content: "" };
  return { role: role === "user" ? "assistant" : "user", content: "" };
}
