import { pathText } from "../path-text.ts";
import { isSameJson } from "../same-json.ts";
import type { FieldDiff } from "./config-diff.ts";
import { isRecord } from "./refused-by.ts";

/** A part of a value that is another one now; undefined: it was not there, or is not there any more. */
export interface LeafChange {
  readonly path: readonly (string | number)[];
  readonly from: unknown;
  readonly to: unknown;
}

/** Where two values differ: field by field in objects, place by place in lists. */
export function leafChanges(
  from: unknown,
  to: unknown,
  path: LeafChange["path"] = [],
): readonly LeafChange[] {
  if (isSameJson(from, to)) return [];
  if (isRecord(from) && isRecord(to)) {
    const names = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...names].flatMap((name) =>
      leafChanges(own(from, name), own(to, name), [...path, name]),
    );
  }
  if (Array.isArray(from) && Array.isArray(to)) {
    const places = Array.from({ length: Math.max(from.length, to.length) }, (_, index) => index);
    return places.flatMap((index) => leafChanges(from[index], to[index], [...path, index]));
  }
  return [{ path, from, to }];
}

/** The change of an object or a list as the changes inside of it, each named by its path. */
export function expandFieldDiff(diff: FieldDiff): readonly FieldDiff[] {
  if (diff.change !== "changed") return [diff];
  return leafChanges(diff.from, diff.to).map(({ path, from, to }) => {
    const field = pathText([diff.field, ...path]);
    // At the field itself its name is only a name, dots included.
    const named = { field: path.length === 0 ? diff.field : field };
    if (from === undefined) return { ...named, change: "added", to };
    if (to === undefined) return { ...named, change: "removed", from };
    return { ...named, change: "changed", from, to };
  });
}

function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
