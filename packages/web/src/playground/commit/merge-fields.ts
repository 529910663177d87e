import { isSameJson } from "@agate/protocol";
import { type ConfigValues, ownField } from "../../config-form/config-values.ts";

/** Whose value is taken. */
export type Side = "mine" | "theirs";

/** A field that one side or both changed. An undefined value is the schema default. */
export interface MergedField {
  readonly field: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
  /** Both changed it to different values. */
  readonly isConflict: boolean;
}

/** A three-way merge by field: every field that differs from the base on either side. */
export function mergeFields(
  base: ConfigValues,
  mine: ConfigValues,
  theirs: ConfigValues,
): readonly MergedField[] {
  const fields = new Set([base, mine, theirs].flatMap((values) => Object.keys(values)));
  return [...fields].flatMap((field) => {
    const [before, my, their] = [base, mine, theirs].map((values) => ownField(values, field));
    const isMine = !isSameJson(before, my);
    const isTheirs = !isSameJson(before, their);
    if (!isMine && !isTheirs) return [];
    const isConflict = isMine && isTheirs && !isSameJson(my, their);
    return [{ field, base: before, mine: my, theirs: their, isConflict }];
  });
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
  const taken = merged.filter(
    (field) => (ownField(chosen, field.field) ?? preselectedSide(field)) === "mine",
  );
  const kept = Object.entries(theirs).filter(
    ([name]) => !taken.some(({ field }) => field === name),
  );
  const mine = taken.flatMap(({ field, mine: value }) =>
    value === undefined ? [] : [[field, value] as const],
  );
  return Object.fromEntries([...kept, ...mine]);
}
