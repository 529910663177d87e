import type { ConfigFieldSchema, RouteParams, RouteSchema } from "@agate/protocol";
import { isRecord, isSameJson } from "@agate/protocol";

type Fields = Readonly<Record<string, ConfigFieldSchema>>;
type Values = Readonly<Record<string, unknown>>;

/**
 * Parameters with every field that the routes have: the code's default where nothing is set. What the
 * routes do not have stays as it is.
 */
export function completeParams(params: RouteParams, routes: readonly RouteSchema[]): RouteParams {
  const completed = routes.map(({ route, config }): [string, Values] => [
    route,
    completeFields(config, own(params, route) ?? {}),
  ]);
  return Object.fromEntries([...Object.entries(params), ...completed]);
}

function completeFields(fields: Fields, values: Values): Values {
  const completed = Object.entries(fields).flatMap(([name, field]): [string, unknown][] => {
    const given = own(values, name);
    const value = given === undefined ? field.default : given;
    return value === undefined ? [] : [[name, completeValue(field, value)]];
  });
  // In the order of the code; what it does not know comes last.
  return {
    ...Object.fromEntries(completed),
    ...pick(values, (name) => !Object.hasOwn(fields, name)),
  };
}

function completeValue({ properties }: ConfigFieldSchema, value: unknown): unknown {
  return properties !== undefined && isRecord(value) ? completeFields(properties, value) : value;
}

/** A field whose value would be lost. */
export interface DroppedField {
  readonly route: string;
  readonly field: string;
  readonly value: unknown;
}

/** The fields that the next code lacks and that the parameters set to something else than their default. */
export function droppedFields(
  params: RouteParams,
  before: readonly RouteSchema[],
  after: readonly RouteSchema[],
): readonly DroppedField[] {
  const remaining = new Map(after.map(({ route, config }) => [route, config]));
  return before.flatMap(({ route, config }) =>
    Object.entries(config).flatMap(([field, { default: fallback }]): DroppedField[] => {
      const next = remaining.get(route);
      // A route that goes is a change of its own.
      if (next === undefined || Object.hasOwn(next, field)) return [];
      const value = own(own(params, route) ?? {}, field);
      const isSet = value !== undefined && !isSameJson(value, fallback);
      return isSet ? [{ route, field, value }] : [];
    }),
  );
}

/** The routes that the next code lacks. */
export function droppedRoutes(
  before: readonly RouteSchema[],
  after: readonly RouteSchema[],
): readonly string[] {
  const remaining = new Set(after.map(({ route }) => route));
  return before.map(({ route }) => route).filter((route) => !remaining.has(route));
}

/** Own properties only: every object inherits a `constructor`. */
function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function pick(values: Values, isWanted: (name: string) => boolean): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)));
}
