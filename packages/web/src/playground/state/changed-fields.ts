import { isSameJson } from "@agate/protocol";
import type { ConfigValues } from "../../config-form/config-values.ts";

/** The fields of `values` that are not as in `base`. One that `base` has and `values` has not is null. */
export function changedFields(base: ConfigValues, values: ConfigValues): ConfigValues {
  const removed = Object.keys(base).filter((field) => !Object.hasOwn(values, field));
  const changed = Object.entries(values).filter(
    ([field, value]) => !Object.hasOwn(base, field) || !isSameJson(base[field], value),
  );
  return Object.fromEntries([...changed, ...removed.map((field) => [field, null] as const)]);
}

/** The fields in which any of them differs from another, in the order of the first. */
export function differingFields(all: readonly ConfigValues[]): readonly string[] {
  const fields = new Set(all.flatMap((values) => Object.keys(values)));
  return [...fields].filter((field) =>
    all.some((values) => !isSameJson(values[field], all[0]?.[field])),
  );
}
