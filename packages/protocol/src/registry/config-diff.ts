import { isRecord, isSameJson } from "../json-value.ts";
import { pathText } from "../shown-value.ts";
import type { RouteParams } from "./revision.ts";
import type { VariantRevision } from "./variant.ts";

/** How two revisions differ, per route and field. Routes and fields that are the same are left out. */
export interface ConfigDiff {
  readonly from: VariantRevision;
  readonly to: VariantRevision;
  /** Ordered by path. */
  readonly routes: readonly RouteDiff[];
}

export interface RouteDiff {
  readonly route: string;
  /** Ordered by name. */
  readonly fields: readonly FieldDiff[];
}

/** A field that is absent on one side has its default there, which the application's schema may know. */
export type FieldDiff =
  | { readonly field: string; readonly change: "added"; readonly to: unknown }
  | { readonly field: string; readonly change: "removed"; readonly from: unknown }
  | {
      readonly field: string;
      readonly change: "changed";
      readonly from: unknown;
      readonly to: unknown;
    };

/**
 * How two configurations differ. A missing route equals one without fields, and an undefined field, as
 * drafts have them, equals a missing one.
 */
export function diffParams(from: RouteParams, to: RouteParams): readonly RouteDiff[] {
  return keysOf(from, to)
    .map((route) => ({ route, fields: diffFields(own(from, route) ?? {}, own(to, route) ?? {}) }))
    .filter(({ fields }) => fields.length > 0);
}

type Fields = Readonly<Record<string, unknown>>;

function diffFields(from: Fields, to: Fields): readonly FieldDiff[] {
  return keysOf(from, to).flatMap((field): readonly FieldDiff[] => {
    const before = own(from, field);
    const after = own(to, field);
    if (before === undefined) {
      return after === undefined ? [] : [{ field, change: "added", to: after }];
    }
    if (after === undefined) return [{ field, change: "removed", from: before }];
    if (isSameJson(before, after)) return [];
    return [{ field, change: "changed", from: before, to: after }];
  });
}

function keysOf(from: object, to: object): string[] {
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
}

/** Own properties only: every object inherits a `constructor`. */
function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A changed part of a value. `from` is undefined where it was added, `to` where it was removed. */
export interface LeafChange {
  readonly path: readonly (string | number)[];
  readonly from: unknown;
  readonly to: unknown;
}

/** Where two values differ: field by field in objects, index by index in lists. */
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

/** Splits the change of an object or list into the changes inside it, each named by its path. */
export function expandFieldDiff(diff: FieldDiff): readonly FieldDiff[] {
  if (diff.change !== "changed") return [diff];
  return leafChanges(diff.from, diff.to).map(({ path, from, to }) => {
    const field = pathText([diff.field, ...path]);
    // A field's own name may contain dots: it is not a path.
    const named = { field: path.length === 0 ? diff.field : field };
    if (from === undefined) return { ...named, change: "added", to };
    if (to === undefined) return { ...named, change: "removed", from };
    return { ...named, change: "changed", from, to };
  });
}
