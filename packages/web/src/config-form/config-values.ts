import type { RouteSchema } from "@agate/protocol";

/**
 * The configuration of a route while it is edited: field → value. A field that is not there has its
 * default. Text that is no number stays what was typed, a string, and `checkConfig` marks it.
 */
export type ConfigValues = Readonly<Record<string, unknown>>;

/** What a route runs with when nothing is said. */
export function defaultsOf(route: RouteSchema): ConfigValues {
  return Object.fromEntries(
    Object.entries(route.config).map(([name, field]) => [name, field.default]),
  );
}

/** Every field of the route; fields that it does not have are kept, so that they are seen. */
export function withDefaults(route: RouteSchema, values: ConfigValues): ConfigValues {
  return { ...defaultsOf(route), ...values };
}

/** What a field has, or its default. */
export function fieldValue(route: RouteSchema, values: ConfigValues, name: string): unknown {
  // Every object inherits a `constructor`, which is a fine name for a field.
  return Object.hasOwn(values, name) ? values[name] : route.config[name]?.default;
}

export function withValue(values: ConfigValues, name: string, value: unknown): ConfigValues {
  return { ...values, [name]: value };
}

export function withoutField(values: ConfigValues, name: string): ConfigValues {
  return Object.fromEntries(Object.entries(values).filter(([other]) => other !== name));
}

/** A field as it was, which may be that nobody had said anything about it. */
export function putBack(values: ConfigValues, base: ConfigValues, name: string): ConfigValues {
  return Object.hasOwn(base, name)
    ? withValue(values, name, base[name])
    : withoutField(values, name);
}

/** Fields of the values that the route does not have: of an older revision, or misspelt. */
export function unknownFields(route: RouteSchema, values: ConfigValues): readonly string[] {
  return Object.keys(values).filter((name) => !Object.hasOwn(route.config, name));
}
