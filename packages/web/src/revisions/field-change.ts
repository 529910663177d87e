import type { ConfigFieldSchema, FieldDiff, RouteDiff } from "@agate/protocol";
import { expandFieldDiff, isSameJson } from "@agate/protocol";

/** One side of a field's change. */
export interface FieldSide {
  /** Undefined: not set, and the default is unknown. */
  readonly value: unknown;
  readonly isDefault: boolean;
}

/** The effective change of a field: the schema default applies where it is not set. */
export interface FieldChange {
  readonly from: FieldSide;
  readonly to: FieldSide;
  /** Set on one side and equal to the default of the other: calls are not affected. */
  readonly hasNoEffect: boolean;
  /** Values that are too long for a line, to be compared word by word. */
  readonly texts: { readonly from: string; readonly to: string } | null;
}

const LONGEST_IN_LINE = 48;

export function fieldChange(diff: FieldDiff, schema: ConfigFieldSchema | undefined): FieldChange {
  const unset = { value: schema?.default, isDefault: true };
  const from = diff.change === "added" ? unset : { value: diff.from, isDefault: false };
  const to = diff.change === "removed" ? unset : { value: diff.to, isDefault: false };
  return {
    from,
    to,
    hasNoEffect: diff.change !== "changed" && isSameJson(from.value, to.value),
    texts: schema?.enum === undefined ? longTexts(from.value, to.value) : null,
  };
}

/**
 * The changes inside an object or a list, each with its path. A side without the field is compared by its
 * default.
 */
export function expandedDiff(
  diff: FieldDiff,
  config: Readonly<Record<string, ConfigFieldSchema>>,
): readonly FieldDiff[] {
  const initial = Object.hasOwn(config, diff.field) ? config[diff.field]?.default : undefined;
  const from = diff.change === "added" ? initial : diff.from;
  const to = diff.change === "removed" ? initial : diff.to;
  const isInside = [from, to].every((side) => typeof side === "object" && side !== null);
  if (!isInside || isSameJson(from, to)) return [diff];
  return expandFieldDiff({ field: diff.field, change: "changed", from, to });
}

function longTexts(from: unknown, to: unknown): FieldChange["texts"] {
  if (!isTextual(from) || !isTextual(to)) return null;
  const texts = { from: textOf(from), to: textOf(to) };
  return isLong(texts.from) || isLong(texts.to) ? texts : null;
}

/** Texts, lists and objects; other values are always short. */
function isTextual(value: unknown): value is string | object {
  return typeof value === "string" || (typeof value === "object" && value !== null);
}

function textOf(value: string | object): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function isLong(text: string): boolean {
  return text.length > LONGEST_IN_LINE || text.includes("\n");
}

export function countFields(routes: readonly RouteDiff[]): number {
  return routes.reduce((count, { fields }) => count + fields.length, 0);
}

/** @example fieldsText(3) // "3 fields differ" */
export function fieldsText(count: number): string {
  if (count === 0) return "no field differs";
  return count === 1 ? "1 field differs" : `${count} fields differ`;
}
