import { isDeepStrictEqual } from "node:util";
import type { FieldDiff, RouteDiff, RouteParams } from "@agate/protocol";

/** How two configurations differ. A route that is not there is the same as one without any field. */
export function diffParams(from: RouteParams, to: RouteParams): RouteDiff[] {
  return keysOf(from, to)
    .map((route) => ({ route, fields: diffFields(own(from, route) ?? {}, own(to, route) ?? {}) }))
    .filter(({ fields }) => fields.length > 0);
}

type Fields = Readonly<Record<string, unknown>>;

function diffFields(from: Fields, to: Fields): FieldDiff[] {
  return keysOf(from, to).flatMap((field): FieldDiff[] => {
    const before = own(from, field);
    const after = own(to, field);
    if (before === undefined) return [{ field, change: "added", to: after }];
    if (after === undefined) return [{ field, change: "removed", from: before }];
    if (isDeepStrictEqual(before, after)) return [];
    return [{ field, change: "changed", from: before, to: after }];
  });
}

function keysOf(from: object, to: object): string[] {
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
}

/** JSON has no undefined, and every object inherits a `constructor`. */
function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
