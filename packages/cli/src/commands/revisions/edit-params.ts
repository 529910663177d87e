import type { RouteParams } from "@agate/protocol";
import { isRecord } from "@agate/protocol";
import { InvalidArgumentError } from "commander";
import { parseValue } from "../client/option-values.ts";

/** One change as it was typed: which part of `/summarize.retrieval.topK` is the route is not known yet. */
export interface TypedEdit {
  readonly place: string;
  /** Undefined takes the field out, so that it has its default. */
  readonly value: unknown;
}

/** One change to a configuration, at a path into the fields of a route. */
export interface ParamEdit {
  readonly route: string;
  readonly path: readonly string[];
  readonly value: unknown;
}

/** @example collectSetting("/summarize.temperature=0.2") // [{ place: "/summarize.temperature", value: 0.2 }] */
export function collectSetting(
  text: string,
  before: readonly TypedEdit[] = [],
): readonly TypedEdit[] {
  const at = text.indexOf("=");
  const place = text.slice(0, Math.max(at, 0));
  if (!isPlace(place)) {
    throw new InvalidArgumentError(
      "Write it as /route.field=value; the entrypoint's fields as /.field=value.",
    );
  }
  return [...before, { place, value: parseValue(text.slice(at + 1)) }];
}

/** @example collectRemoval("/summarize.temperature") */
export function collectRemoval(
  text: string,
  before: readonly TypedEdit[] = [],
): readonly TypedEdit[] {
  if (!isPlace(text)) {
    throw new InvalidArgumentError("Write it as /route.field; the entrypoint's fields as /.field.");
  }
  return [...before, { place: text, value: undefined }];
}

function isPlace(text: string): boolean {
  return /^\/.*\.[^.]+$/.test(text) && !text.slice(text.lastIndexOf("/")).includes("..");
}

/** Whether it takes the known routes to tell the route from the fields: `/v1.2.prompt` may be two things. */
export function isAmbiguous({ place }: TypedEdit): boolean {
  return place.slice(place.lastIndexOf("/")).split(".").length > 2;
}

/**
 * The route is the longest known one that the place begins with; where none is known, it ends at the
 * first dot after its last slash.
 */
export function resolveEdit({ place, value }: TypedEdit, routes: readonly string[]): ParamEdit {
  const known = routes
    .filter((route) => place.startsWith(`${route}.`))
    .sort((one, other) => other.length - one.length);
  const route = known[0] ?? place.slice(0, place.indexOf(".", place.lastIndexOf("/")));
  return { route, path: place.slice(route.length + 1).split("."), value };
}

/**
 * The parameters with these changes. Names are data: `__proto__` is one like any other. In a list, a
 * name is a place.
 *
 * @throws Error that says which path leads nowhere.
 */
export function editParams(params: RouteParams, edits: readonly ParamEdit[]): RouteParams {
  let edited: unknown = params;
  for (const { route, path, value } of edits) edited = editAt(edited, [route, ...path], value);
  return edited as RouteParams;
}

function editAt(from: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(from)) {
    const index = /^\d+$/.test(key) ? Number(key) : Number.NaN;
    if (!(index < from.length)) throw new Error(`The list has no item ${key}. Set the whole list.`);
    const item = editAt(from[index], rest, value);
    return item === undefined ? from.toSpliced(index, 1) : from.with(index, item);
  }
  if (from !== undefined && !isRecord(from)) {
    throw new Error(`There is nothing to set at ${key}: what is there is no object.`);
  }
  const fields = new Map(Object.entries(from ?? {}));
  // What is not there has nothing to take out.
  if (value === undefined && !fields.has(key)) return from;
  const inner = editAt(fields.get(key), rest, value);
  if (inner === undefined) fields.delete(key);
  else fields.set(key, inner);
  return Object.fromEntries(fields);
}
