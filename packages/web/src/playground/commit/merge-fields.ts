import { isSameJson } from "@agate/protocol";
import { type ConfigValues, ownField } from "../../config-form/config-values.ts";

/** Whose value is taken. */
export type Side = "mine" | "theirs";

/** A field that one side, or both, have changed. A value that is undefined is the schema's default. */
export interface MergedField {
  readonly field: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
  /** Both have changed it, and not to the same. */
  readonly isConflict: boolean;
}

/** What two people have made of the same configuration: every field that is not as it was. */
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

/** Whose value a field has as long as nobody has chosen: the one that was changed; in a conflict, none. */
export function usualSide({ base, mine, isConflict }: MergedField): Side | null {
  if (isConflict) return null;
  return isSameJson(base, mine) ? "theirs" : "mine";
}

/** The configuration that comes out; a field without a choice has its usual side, a conflict theirs. */
export function resolvedFields(
  theirs: ConfigValues,
  merged: readonly MergedField[],
  chosen: Readonly<Record<string, Side>>,
): ConfigValues {
  const taken = merged.filter(
    (field) => (ownField(chosen, field.field) ?? usualSide(field)) === "mine",
  );
  const kept = Object.entries(theirs).filter(
    ([name]) => !taken.some(({ field }) => field === name),
  );
  const mine = taken.flatMap(({ field, mine: value }) =>
    value === undefined ? [] : [[field, value] as const],
  );
  return Object.fromEntries([...kept, ...mine]);
}
