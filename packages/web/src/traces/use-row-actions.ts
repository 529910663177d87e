import { useNavigate, useRouter } from "@tanstack/react-router";
import { useMemo } from "react";
import type { TraceRow } from "../api/trace-row.ts";
import { useCopy } from "../design/copy-button.tsx";
import type { RowActions } from "./rows/row-actions.ts";
import { rowTarget } from "./rows/row-target.ts";
import { type TracesSearch, withFilter } from "./traces-search.ts";

interface RowActionOptions {
  readonly list: TracesSearch;
  readonly mayDelete: boolean;
  readonly select: (key: string | null) => void;
  readonly askToDelete: (row: TraceRow) => void;
}

/** What can be done with a row of the list; the same object for as long as nothing of it changes. */
export function useRowActions(options: RowActionOptions): RowActions {
  const { list, mayDelete, select, askToDelete } = options;
  const navigate = useNavigate({ from: "/traces" });
  const router = useRouter();
  const copy = useCopy();
  return useMemo(
    () => ({
      list,
      mayDelete,
      select,
      askToDelete,
      open: (row) => {
        select(row.key);
        void navigate(rowTarget(row, list));
      },
      openInTab: (row) => {
        window.open(router.buildLocation(rowTarget(row, list)).href, "_blank", "noopener");
      },
      filter: (name, value) => {
        void navigate({ search: (search) => withFilter(search, name, value), resetScroll: false });
      },
      copyId: (row) => {
        const [what, id] = list.view === "spans" ? ["span", row.spanId] : ["trace", row.traceId];
        copy(id, `The ${what}'s id is copied.`);
      },
    }),
    [list, mayDelete, select, askToDelete, navigate, router, copy],
  );
}
