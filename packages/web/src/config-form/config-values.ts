import type { ConfigFieldSchema, RouteSchema } from "@agate/protocol";
import { isNullable, isRecord, isSameJson } from "@agate/protocol";

/**
 * The configuration of a route while it is edited: field → value. A missing field has its default. Text
 * that is not a number stays a string, and `checkConfig` reports it.
 */
export type ConfigValues = Readonly<Record<string, unknown>>;

/** The configuration of a route without any settings. */
export function defaultsOf(route: RouteSchema): ConfigValues {
  return withDefaults(route, {});
}

/** Adds the defaults of missing fields. Unknown fields stay, so that the form shows them. */
export function withDefaults(route: RouteSchema, values: ConfigValues): ConfigValues {
  return completedFields(route.config, values);
}

/** The value of a field, or its default. */
export function fieldValue(route: RouteSchema, values: ConfigValues, name: string): unknown {
  const field = ownField(route.config, name);
  const value = ownField(values, name);
  return field === undefined ? value : completedValue(field, value);
}

/** A value with the defaults of its missing fields. */
export function completedValue(field: ConfigFieldSchema, value: unknown): unknown {
  if (value === undefined) return field.default;
  if (isRecord(value)) return completedFields(field.properties ?? {}, value);
  const { items } = field;
  return Array.isArray(value) && items !== undefined
    ? value.map((item) => completedValue(items, item))
    : value;
}

type Fields = RouteSchema["config"];

function completedFields(fields: Fields, values: ConfigValues): ConfigValues {
  const known = Object.entries(fields).map(
    ([name, field]) => [name, completedValue(field, ownField(values, name))] as const,
  );
  const others = Object.entries(values).filter(([name]) => !Object.hasOwn(fields, name));
  return Object.fromEntries([...known.filter(([, value]) => value !== undefined), ...others]);
}

/**
 * Drops the fields that the route does not have, at every level. A revision for an older build may have
 * some: a deployed call ignores them, a playground call would be rejected.
 */
export function knownFields(route: RouteSchema, values: ConfigValues = {}): ConfigValues {
  return onlyKnown(route.config, values);
}

function onlyKnown(fields: Fields, values: ConfigValues): ConfigValues {
  const known = Object.entries(fields).flatMap(([name, field]) => {
    const value = ownField(values, name);
    const isUnset = value === undefined || (value === null && isUnsetByNull(field));
    return isUnset ? [] : [[name, knownValue(field, value)] as const];
  });
  return Object.fromEntries(known);
}

function knownValue(field: ConfigFieldSchema, value: unknown): unknown {
  const { properties, items } = field;
  if (isRecord(value) && properties !== undefined) return onlyKnown(properties, value);
  return Array.isArray(value) && items !== undefined
    ? value.map((item) => knownValue(items, item))
    : value;
}

/**
 * A draft is JSON, which cannot express that a field was removed: null does so for optional fields that
 * are not nullable.
 */
function isUnsetByNull(field: ConfigFieldSchema): boolean {
  return field.default === undefined && !isNullable(field);
}

/** Reads own properties only: a field may be called `constructor`. */
export function ownField<Value>(
  record: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** An undefined value removes the field. */
export function withValue(values: ConfigValues, name: string, value: unknown): ConfigValues {
  return value === undefined ? withoutField(values, name) : { ...values, [name]: value };
}

export function withoutField(values: ConfigValues, name: string): ConfigValues {
  return Object.fromEntries(Object.entries(values).filter(([other]) => other !== name));
}

/** Restores a field to its base, or removes it if the base does not set it. */
export function revertField(values: ConfigValues, base: ConfigValues, name: string): ConfigValues {
  return Object.hasOwn(base, name)
    ? withValue(values, name, base[name])
    : withoutField(values, name);
}

/** Fields that the route does not have: from an older revision, or misspelt. */
export function unknownFields(route: RouteSchema, values: ConfigValues): readonly string[] {
  return Object.keys(values).filter((name) => !Object.hasOwn(route.config, name));
}

/** The fields of `values` that differ from `base`. A removed field is null. */
export function changedFields(base: ConfigValues, values: ConfigValues): ConfigValues {
  const removed = Object.keys(base).filter((field) => !Object.hasOwn(values, field));
  const changed = Object.entries(values).filter(
    ([field, value]) => !Object.hasOwn(base, field) || !isSameJson(base[field], value),
  );
  return Object.fromEntries([...changed, ...removed.map((field) => [field, null] as const)]);
}

/** The fields that are not the same in all configurations, in the order of the first. */
export function differingFields(all: readonly ConfigValues[]): readonly string[] {
  const fields = new Set(all.flatMap((values) => Object.keys(values)));
  return [...fields].filter((field) =>
    all.some((values) => !isSameJson(values[field], all[0]?.[field])),
  );
}
