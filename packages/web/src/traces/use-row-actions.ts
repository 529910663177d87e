import { useNavigate, useRouter } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ListView, TraceRow } from "../api/trace-row.ts";
import { useCopy } from "../trace-view/use-copy.ts";
import type { RowActions } from "./rows/row-actions.ts";
import { withFilter } from "./traces-search.ts";

interface RowActionOptions {
  readonly view: ListView;
  readonly mayDelete: boolean;
  readonly select: (key: string | null) => void;
  readonly askToDelete: (row: TraceRow) => void;
}

/** What can be done with a row of the list; the same object for as long as nothing of it changes. */
export function useRowActions(options: RowActionOptions): RowActions {
  const { view, mayDelete, select, askToDelete } = options;
  const navigate = useNavigate({ from: "/traces" });
  const router = useRouter();
  const copy = useCopy();
  return useMemo(() => {
    const target = (row: TraceRow) =>
      ({
        to: "/traces/$traceId",
        params: { traceId: row.traceId },
        search: view === "spans" ? { span: row.spanId } : {},
      }) as const;
    return {
      mayDelete,
      select,
      askToDelete,
      open: (row) => {
        select(row.key);
        void navigate(target(row));
      },
      openInTab: (row) => {
        window.open(router.buildLocation(target(row)).href, "_blank", "noopener");
      },
      filter: (name, value) => {
        void navigate({ search: (search) => withFilter(search, name, value) });
      },
      copyId: (row) => {
        const [what, id] = view === "spans" ? ["span", row.spanId] : ["trace", row.traceId];
        copy(id, `The ${what}'s id is copied.`);
      },
    };
  }, [view, mayDelete, select, askToDelete, navigate, router, copy]);
}
