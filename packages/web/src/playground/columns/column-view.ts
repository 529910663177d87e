import type { RouteParams, RouteSchema } from "@agate/protocol";
import { configFaults, pathText } from "@agate/protocol";
import {
  type ConfigValues,
  knownFields,
  ownField,
  withDefaults,
} from "../../config-form/config-values.ts";
import { changedFields } from "../state/changed-fields.ts";
import { columnTitle } from "../state/column-base.ts";
import type { Column, RevisionName } from "../state/workspace.ts";

/** A column with everything that it stands for. */
export interface ReadyColumn {
  readonly kind: "ready";
  readonly column: Column;
  readonly title: string;
  /** What it shows, or its draft was made from; null for the schema's defaults. */
  readonly base: RevisionName | null;
  /** The base's parameters, of all routes. */
  readonly params: RouteParams;
  /** The base's configuration of this route, every field of it. */
  readonly baseValues: ConfigValues;
  /** The same with the draft's changes: what is run. */
  readonly values: ConfigValues;
  /** The names of the fields that the draft has changed. */
  readonly changed: readonly string[];
  /** Fields of the base or the draft that the route does not have: they are not sent. */
  readonly leftOut: readonly string[];
}

/** A column: its parameters may still be on their way, or not be there. */
export type ColumnView =
  | ReadyColumn
  | { readonly kind: "loading"; readonly column: Column; readonly title: string }
  | {
      readonly kind: "missing";
      readonly column: Column;
      readonly title: string;
      readonly reason: string;
    };

export function readyColumn(
  column: Column,
  base: RevisionName | null,
  params: RouteParams,
  route: RouteSchema,
): ReadyColumn {
  const stored = ownField(params, route.route) ?? {};
  const changes = column.draft?.changes ?? {};
  const baseValues = withDefaults(route, knownFields(route, stored));
  const values = knownFields(route, { ...baseValues, ...changes });
  const unknown = [...configFaults(route.config, { ...stored, ...changes })].filter(
    ({ kind }) => kind === "unknown",
  );
  return {
    kind: "ready",
    column,
    title: columnTitle(column, base),
    base,
    params,
    baseValues,
    values,
    changed: Object.keys(changedFields(baseValues, values)),
    leftOut: unknown.map(({ path }) => pathText(path)),
  };
}
