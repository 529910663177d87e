import type { FieldDiff, RouteDiff, RouteParams } from "@agate/protocol";

/**
 * How two configurations differ, in the order and shape of the platform's own diffs: for drafts, which
 * it does not know. A route that is not there is the same as one without any field.
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
    if (isSame(before, after)) return [];
    return [{ field, change: "changed", from: before, to: after }];
  });
}

/** Whether two JSON values are the same, whatever the order of their keys. */
function isSame(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, at) => isSame(item, right[at]));
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSame(left[key], right[key]))
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function keysOf(from: object, to: object): string[] {
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
}

/** Every object inherits a `constructor`. */
function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
