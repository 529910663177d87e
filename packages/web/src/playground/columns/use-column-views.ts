import type { Revision, RouteSchema } from "@agate/protocol";
import { type UseQueryResult, useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { revisionQuery } from "../../api/applications.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import { baseOf, columnTitle, type KnownConfigs, revisionTitle } from "../state/column-base.ts";
import type { Column, RevisionName } from "../state/workspace.ts";
import { type ColumnView, readyColumn } from "./column-view.ts";

/** The columns with the parameters of the revisions that they are about. */
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
  // The same views until something in them changes: all cells of all cases are drawn with them.
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

/** The revisions that columns are about, each once. */
function revisionNames(
  columns: readonly Column[],
  known: KnownConfigs,
): ReadonlyMap<string, RevisionName> {
  return new Map(
    columns.flatMap((column) => {
      const found = baseOf(column, known);
      // In revision 0 nothing is committed: there is nothing to read.
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
