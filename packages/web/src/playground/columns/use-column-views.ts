import type { Revision, RouteSchema } from "@agate/protocol";
import { type UseQueryResult, useQueries } from "@tanstack/react-query";
import { revisionQuery } from "../../api/applications.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import { baseOf, columnTitle, type KnownConfigs, revisionTitle } from "../state/column-base.ts";
import type { Column } from "../state/workspace.ts";
import { type ColumnView, readyColumn } from "./column-view.ts";

/** The columns with the parameters of the revisions that they are about. */
export function useColumnViews(
  app: string,
  route: RouteSchema,
  columns: readonly Column[],
  known: KnownConfigs,
): readonly ColumnView[] {
  const client = usePlatform();
  const bases = columns.map((column) => baseOf(column, known));
  const names = new Map(
    bases.flatMap((found) =>
      // In revision 0 nothing is committed: there is nothing to read.
      found.kind === "known" && found.base !== null && found.base.revision > 0
        ? [[revisionTitle(found.base), found.base]]
        : [],
    ),
  );
  const revisions = useQueries({
    queries: [...names.values()].map(({ variant, revision }) =>
      revisionQuery(client, app, variant, revision),
    ),
  });
  const byName = new Map([...names.keys()].map((name, index) => [name, revisions[index]]));
  return columns.map((column, index) => {
    const found = bases[index] ?? { kind: "known", base: null };
    const name = found.kind === "known" ? revisionTitle(found.base) : "";
    return viewOf(column, route, found, byName.get(name));
  });
}

function viewOf(
  column: Column,
  route: RouteSchema,
  found: ReturnType<typeof baseOf>,
  revision: UseQueryResult<Revision> | undefined,
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
