import { isRecord, isSameJson } from "@agate/protocol";
import { type ConfigValues, ownField, withValue } from "../../config-form/config-values.ts";

/** Whose value is taken. */
export type Side = "mine" | "theirs";

/** A field that one side or both changed. An undefined value is the schema default. */
export interface MergedField {
  readonly path: readonly string[];
  /** The path as text: `model.temperature`. No two paths have the same. */
  readonly field: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
  /** Both changed it to different values. */
  readonly isConflict: boolean;
}

/**
 * A three-way merge by field: every field that differs from the base on either side. Fields of objects
 * are merged one by one where all three have the object; a list is one value.
 */
export function mergeFields(
  base: ConfigValues,
  mine: ConfigValues,
  theirs: ConfigValues,
): readonly MergedField[] {
  return mergeAt([], base, mine, theirs);
}

function mergeAt(
  path: readonly string[],
  base: ConfigValues,
  mine: ConfigValues,
  theirs: ConfigValues,
): readonly MergedField[] {
  const names = new Set([base, mine, theirs].flatMap((values) => Object.keys(values)));
  return [...names].flatMap((name) => {
    const at = [...path, name];
    const [before, my, their] = [base, mine, theirs].map((values) => ownField(values, name));
    const isMine = !isSameJson(before, my);
    const isTheirs = !isSameJson(before, their);
    if (!isMine && !isTheirs) return [];
    if (isRecord(before) && isRecord(my) && isRecord(their)) return mergeAt(at, before, my, their);
    const isConflict = isMine && isTheirs && !isSameJson(my, their);
    return [{ path: at, field: pathText(at), base: before, mine: my, theirs: their, isConflict }];
  });
}

/** @example pathText(["model", "top.p"]) // 'model."top.p"' */
function pathText(path: readonly string[]): string {
  return path.map((name) => (/[."]/.test(name) ? JSON.stringify(name) : name)).join(".");
}

/** The side that is preselected: the one that changed the field; null for a conflict. */
export function preselectedSide({ base, mine, isConflict }: MergedField): Side | null {
  if (isConflict) return null;
  return isSameJson(base, mine) ? "theirs" : "mine";
}

/** The merged configuration. A field without a choice takes its preselected side, a conflict theirs. */
export function resolvedFields(
  theirs: ConfigValues,
  merged: readonly MergedField[],
  chosen: Readonly<Record<string, Side>>,
): ConfigValues {
  return merged
    .filter((field) => (ownField(chosen, field.field) ?? preselectedSide(field)) === "mine")
    .reduce((values, { path, mine }) => withValueAt(values, path, mine), theirs);
}

function withValueAt(values: ConfigValues, path: readonly string[], value: unknown): ConfigValues {
  const [name = "", ...rest] = path;
  if (rest.length === 0) return withValue(values, name, value);
  const inner = ownField(values, name);
  return withValue(values, name, withValueAt(isRecord(inner) ? inner : {}, rest, value));
}
