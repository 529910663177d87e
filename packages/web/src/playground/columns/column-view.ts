import type { Revision, RouteParams, RouteSchema } from "@agate/protocol";
import { configFaults, pathText } from "@agate/protocol";
import { type UseQueryResult, useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { revisionQuery } from "../../api/applications.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import {
  type ConfigValues,
  changedFields,
  knownFields,
  ownField,
  withDefaults,
} from "../../config-form/config-values.ts";
import { baseOf, columnTitle, type KnownConfigs, revisionTitle } from "../state/column-base.ts";
import type { Column, RevisionName } from "../state/workspace.ts";

/** A column whose configuration is loaded. */
export interface ReadyColumn {
  readonly kind: "ready";
  readonly column: Column;
  readonly title: string;
  /** The revision that it shows, or that its draft is based on; null for the schema defaults. */
  readonly base: RevisionName | null;
  /** The parameters of the base, for all routes. */
  readonly params: RouteParams;
  /** The base's configuration of this route, defaults included. */
  readonly baseValues: ConfigValues;
  /** The same with the draft's changes: the configuration that runs use. */
  readonly values: ConfigValues;
  /** The names of the fields that the draft changes. */
  readonly changed: readonly string[];
  /** Fields of the base or the draft that the route no longer has: they are not sent. */
  readonly leftOut: readonly string[];
}

/** A column: its revision may still be loading, or not exist. */
export type ColumnView =
  | ReadyColumn
  | { readonly kind: "loading"; readonly column: Column; readonly title: string }
  | {
      readonly kind: "missing";
      readonly column: Column;
      readonly title: string;
      readonly reason: string;
    };

export function isReady(view: ColumnView): view is ReadyColumn {
  return view.kind === "ready";
}

/** Whether a column shows a revision as it was committed: not a draft, and not the schema defaults. */
export function isCommitted(
  view: ColumnView,
): view is ReadyColumn & { readonly base: RevisionName } {
  if (view.kind !== "ready" || view.column.draft !== null) return false;
  return view.base !== null && view.base.revision > 0;
}

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

/** The columns with the parameters of their revisions. */
export function useColumnViews(
  app: string,
  route: RouteSchema,
  columns: readonly Column[],
  known: KnownConfigs,
): readonly ColumnView[] {
  const client = usePlatform();
  const names = revisionNames(columns, known);
  const revisions = useQueries({
    queries: [...names.values()].map(({ variant, revision }) =>
      revisionQuery(client, app, variant, revision),
    ),
    combine: loadedRevisions,
  });
  // Keeps the views' identity: every cell of every case is drawn anew when a view changes.
  return useMemo(() => {
    const titles = [...revisionNames(columns, known).keys()];
    const byName = new Map(titles.map((title, index) => [title, revisions[index]]));
    return columns.map((column) => {
      const found = baseOf(column, known);
      const name = found.kind === "known" ? revisionTitle(found.base) : "";
      return viewOf(column, route, found, byName.get(name));
    });
  }, [columns, route, known, revisions]);
}

/** The revisions of all columns, each once. */
function revisionNames(
  columns: readonly Column[],
  known: KnownConfigs,
): ReadonlyMap<string, RevisionName> {
  return new Map(
    columns.flatMap((column) => {
      const found = baseOf(column, known);
      // Revision 0 is a variant without commits: there is nothing to load.
      return found.kind === "known" && found.base !== null && found.base.revision > 0
        ? [[revisionTitle(found.base), found.base]]
        : [];
    }),
  );
}

type LoadedRevision = Pick<UseQueryResult<Revision>, "data" | "error">;

function loadedRevisions(results: readonly UseQueryResult<Revision>[]): readonly LoadedRevision[] {
  return results.map(({ data, error }) => ({ data, error }));
}

function viewOf(
  column: Column,
  route: RouteSchema,
  found: ReturnType<typeof baseOf>,
  revision: LoadedRevision | undefined,
): ColumnView {
  if (found.kind === "missing") {
    return { kind: "missing", column, title: columnTitle(column, null), reason: found.reason };
  }
  const { base } = found;
  if (base === null || base.revision === 0) return readyColumn(column, base, {}, route);
  const title = columnTitle(column, base);
  if (revision?.data !== undefined) return readyColumn(column, base, revision.data.params, route);
  if (revision?.error) return { kind: "missing", column, title, reason: revision.error.message };
  return { kind: "loading", column, title };
}
