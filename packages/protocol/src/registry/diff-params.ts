import { isSameJson } from "../same-json.ts";
import type { FieldDiff, RouteDiff } from "./config-diff.ts";
import type { RouteParams } from "./revision.ts";

/**
 * How two configurations differ. A route that is not there is the same as one without any field, and
 * a field that is undefined, as in a draft, the same as one that is not there.
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

/** Every object inherits a `constructor`. */
function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
