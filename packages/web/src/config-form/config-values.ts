import type { ConfigFieldSchema, RouteSchema } from "@agate/protocol";
import { isNullable, isRecord, isSameJson } from "@agate/protocol";

/**
 * The configuration of a route while it is edited: field → value. A field that is not there has its
 * default. Text that is no number stays what was typed, a string, and `checkConfig` marks it.
 */
export type ConfigValues = Readonly<Record<string, unknown>>;

/** What a route runs with when nothing is said. */
export function defaultsOf(route: RouteSchema): ConfigValues {
  return withDefaults(route, {});
}

/** Every field of the route; fields that it does not have are kept, so that they are seen. */
export function withDefaults(route: RouteSchema, values: ConfigValues): ConfigValues {
  return completedFields(route.config, values);
}

/** What a field has, or its default. */
export function fieldValue(route: RouteSchema, values: ConfigValues, name: string): unknown {
  const field = ownField(route.config, name);
  const value = ownField(values, name);
  return field === undefined ? value : completedValue(field, value);
}

/** A value with the defaults of what it does not say: objects by field, lists as they are. */
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
 * The fields that the route has, at every level. A stored configuration may have others, of an older
 * build: a deployed call ignores them, a playground call would be refused.
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
 * A draft is JSON, which has no way to say that a field is not there any more: for a field that may be
 * left out and takes no null, null says it.
 */
function isUnsetByNull(field: ConfigFieldSchema): boolean {
  return field.default === undefined && !isNullable(field);
}

/** Every object inherits a `constructor`, which is a fine name for a field. */
export function ownField<Value>(
  record: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** A value that is undefined takes the field out. */
export function withValue(values: ConfigValues, name: string, value: unknown): ConfigValues {
  return value === undefined ? withoutField(values, name) : { ...values, [name]: value };
}

export function withoutField(values: ConfigValues, name: string): ConfigValues {
  return Object.fromEntries(Object.entries(values).filter(([other]) => other !== name));
}

/** A field as it was, which may be that nobody had said anything about it. */
export function revertField(values: ConfigValues, base: ConfigValues, name: string): ConfigValues {
  return Object.hasOwn(base, name)
    ? withValue(values, name, base[name])
    : withoutField(values, name);
}

/** Fields of the values that the route does not have: of an older revision, or misspelt. */
export function unknownFields(route: RouteSchema, values: ConfigValues): readonly string[] {
  return Object.keys(values).filter((name) => !Object.hasOwn(route.config, name));
}

/** The fields of `values` that are not as in `base`. One that `base` has and `values` has not is null. */
export function changedFields(base: ConfigValues, values: ConfigValues): ConfigValues {
  const removed = Object.keys(base).filter((field) => !Object.hasOwn(values, field));
  const changed = Object.entries(values).filter(
    ([field, value]) => !Object.hasOwn(base, field) || !isSameJson(base[field], value),
  );
  return Object.fromEntries([...changed, ...removed.map((field) => [field, null] as const)]);
}

/** The fields in which any of them differs from another, in the order of the first. */
export function differingFields(all: readonly ConfigValues[]): readonly string[] {
  const fields = new Set(all.flatMap((values) => Object.keys(values)));
  return [...fields].filter((field) =>
    all.some((values) => !isSameJson(values[field], all[0]?.[field])),
  );
}
