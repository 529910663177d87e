import { isRecord } from "@agate/protocol";
import type { ConfigField, ConfigType } from "./config-field.ts";

/** Without fields that a revision has and this build does not know, at every level. */
export function knownValues(
  fields: readonly ConfigField[],
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const known = fields.filter(({ name }) => Object.hasOwn(values, name));
  return Object.fromEntries(
    known.map((field) => [field.name, knownValue(field, values[field.name])]),
  );
}

function knownValue(type: ConfigType, value: unknown): unknown {
  if (type.kind === "object" && isRecord(value)) return knownValues(type.fields, value);
  const isList = (type.kind === "list" || type.kind === "messages") && Array.isArray(value);
  return isList ? value.map((item) => knownValue(type.items, item)) : value;
}
