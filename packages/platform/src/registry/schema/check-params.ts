import type { ConfigFault, RouteParams, RouteSchema } from "@agate/protocol";
import {
  configFaults,
  isDeeperThan,
  isRecord,
  mustBe,
  shownValue,
  unknownName,
} from "@agate/protocol";
import { completeParams } from "./effective-params.ts";

/** Of a revision's parameters as JSON. */
export const MAX_PARAMS_BYTES = 1024 * 1024;
/** Of lists and objects in each other, the parameters themselves included. */
export const MAX_PARAMS_DEPTH = 32;
/** Suggesting a name for each of a million unknown fields would take minutes. */
const MAX_FAULTS = 100;

/** A fault of the parameters: its path in them, and a message. */
export interface ParamsFault {
  readonly path: readonly (string | number)[];
  readonly msg: string;
}

export type ParamsCheck =
  /** `json`: the parameters to store, with the defaults of all fields that they do not set. */
  | { readonly kind: "valid"; readonly json: string }
  | { readonly kind: "invalid"; readonly faults: readonly [ParamsFault, ...ParamsFault[]] };

/**
 * Checks parameters before a commit: their shape, and if the application's routes are known, every
 * field. Each wrong field is one fault, up to a hundred.
 */
export function checkParams(params: unknown, routes: readonly RouteSchema[] | null): ParamsCheck {
  const fault = faultOfShape(params);
  if (fault !== undefined) return { kind: "invalid", faults: [fault] };
  const size = Buffer.byteLength(JSON.stringify(params));
  if (size > MAX_PARAMS_BYTES) {
    const msg = `The parameters take ${shownCount(size)} bytes as JSON; a revision takes ${shownCount(MAX_PARAMS_BYTES)} at most.`;
    return { kind: "invalid", faults: [{ path: [], msg }] };
  }
  const faults = take(MAX_FAULTS, faultsOf(params as Record<string, unknown>, routes));
  const [first, ...others] = faults;
  if (first !== undefined) return { kind: "invalid", faults: [first, ...others] };
  const completed = completeParams(params as RouteParams, routes ?? []);
  return { kind: "valid", json: JSON.stringify(completed) };
}

/** A value that a route lacks or does not accept. */
export type Misfit = ConfigFault & { readonly route: string };

/**
 * The values of a stored configuration that a schema does not accept, up to a hundred. Unknown routes
 * and fields are accepted: a workflow ignores them, and a revision may be older or newer than the build.
 */
export function findMisfits(params: RouteParams, routes: readonly RouteSchema[]): Misfit[] {
  return take(MAX_FAULTS, misfitsOf(params, routes));
}

function* misfitsOf(params: RouteParams, routes: readonly RouteSchema[]): Iterable<Misfit> {
  for (const { route, config } of routes) {
    const values = Object.hasOwn(params, route) ? (params[route] ?? {}) : {};
    for (const fault of configFaults(config, values, { unknownFields: "ignore" })) {
      yield { ...fault, route };
    }
  }
}

function faultOfShape(params: unknown): ParamsFault | undefined {
  if (!isRecord(params)) {
    const allowed = 'an object of route paths, such as {"/summarize": {}}';
    const msg = mustBe(allowed, shownValue(params));
    return { path: [], msg };
  }
  if (isDeeperThan(params, MAX_PARAMS_DEPTH)) {
    return { path: [], msg: `Must have ${MAX_PARAMS_DEPTH} levels of lists and objects or fewer.` };
  }
  return undefined;
}

function* faultsOf(
  params: Readonly<Record<string, unknown>>,
  routes: readonly RouteSchema[] | null,
): Iterable<ParamsFault> {
  const known = routes && new Map(routes.map(({ route, config }) => [route, config]));
  for (const [route, values] of Object.entries(params)) {
    const config = known?.get(route);
    if (known !== null && config === undefined) {
      yield { path: [route], msg: unknownName("route", route, [...known.keys()]) };
    } else if (!route.startsWith("/")) {
      const msg = `A route's path begins with "/". Write ${shownValue(`/${route}`)}.`;
      yield { path: [route], msg };
    } else if (!isRecord(values)) {
      const msg = mustBe("an object of fields", shownValue(values));
      yield { path: [route], msg };
    } else if (config !== undefined) {
      for (const { path, message } of configFaults(config, values)) {
        yield { path: [route, ...path], msg: message };
      }
    }
  }
}

function shownCount(count: number): string {
  return count.toLocaleString("en");
}

function take<Item>(limit: number, items: Iterable<Item>): Item[] {
  const taken: Item[] = [];
  for (const item of items) {
    taken.push(item);
    if (taken.length === limit) break;
  }
  return taken;
}
