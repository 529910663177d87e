import { useNavigate, useRouter } from "@tanstack/react-router";
import { useMemo } from "react";
import type { TraceRow } from "../../api/trace-row.ts";
import { useCopy } from "../../design/copy-button.tsx";
import type { FilterName } from "../filters/filter-fields.ts";
import { type TracesSearch, withFilter } from "../traces-search.ts";

interface RowActionOptions {
  readonly list: TracesSearch;
  readonly mayDelete: boolean;
  readonly select: (key: string | null) => void;
  readonly askToDelete: (row: TraceRow) => void;
  readonly addToTestSet: (row: TraceRow) => void;
  readonly check: (key: string, isRange: boolean) => void;
}

/** The actions of the rows. Memoized, because rows are. */
export function useRowActions(options: RowActionOptions): RowActions {
  const { list, mayDelete, select, askToDelete, addToTestSet, check } = options;
  const navigate = useNavigate({ from: "/traces" });
  const router = useRouter();
  const copy = useCopy();
  return useMemo(
    () => ({
      list,
      mayDelete,
      select,
      askToDelete,
      addToTestSet,
      check,
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
        if (list.view === "spans") copy(row.spanId, "Span id copied.");
        else copy(row.traceId, "Trace id copied.");
      },
    }),
    [list, mayDelete, select, askToDelete, addToTestSet, check, navigate, router, copy],
  );
}

/** The actions of a row. */
export interface RowActions {
  /** The list that the row is in. */
  readonly list: TracesSearch;
  /** Whether the user may delete traces. */
  readonly mayDelete: boolean;
  select(key: string): void;
  open(row: TraceRow): void;
  openInTab(row: TraceRow): void;
  filter(name: FilterName, value: string): void;
  copyId(row: TraceRow): void;
  askToDelete(row: TraceRow): void;
  addToTestSet(row: TraceRow): void;
  /** Checks a row, or unchecks it; a range does so from the last one. */
  check(key: string, isRange: boolean): void;
}

/** The link of a row, with what was searched for and the list to come back to. */
export function rowTarget(row: TraceRow, list: TracesSearch) {
  return {
    to: "/traces/$traceId",
    params: { traceId: row.traceId },
    search: {
      ...(list.view === "spans" && { span: row.spanId }),
      ...(list.q !== undefined && { q: list.q }),
    },
    state: { list },
  } as const;
}
