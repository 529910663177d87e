import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { mayDo, sessionQuery } from "../api/session.ts";
import type { TraceRow } from "../api/trace-row.ts";
import { type TracePages, tracesKey } from "../api/traces.ts";
import { useKeptFlag } from "../design/browser-state.ts";
import { loadPart } from "../design/load-part.ts";
import { useTitle } from "../design/page-header.tsx";
import { withTimeRange } from "../time-range/time-range.ts";
import { DeleteTraceDialog } from "../trace-view/delete-trace-dialog.tsx";
import { FilterBar } from "./filters/filter-bar.tsx";
import { KeysHelp, useListKeys } from "./list-keys.tsx";
import { LivePill, useLiveTail } from "./live/live-controls.tsx";
import { withoutTrace } from "./live/merge-rows.ts";
import { useCheckedRows } from "./rows/checked-rows.ts";
import { useChosenColumns } from "./rows/column-picker.tsx";
import type { ColumnId } from "./rows/trace-columns.ts";
import { type RowsHandle, TraceRows } from "./rows/trace-rows.tsx";
import { type RowActions, useRowActions } from "./rows/use-row-actions.ts";
import { useSelectedRow } from "./rows/use-selected-row.ts";
import { SelectionBar } from "./selection-bar.tsx";
import { TraceHistogram } from "./trace-histogram.tsx";
import { ListEnd, TraceListState } from "./trace-list-state.tsx";
import { TracesHeader } from "./traces-header.tsx";
import { type TracesSearch, withLive, withoutFilters } from "./traces-search.ts";
import { useTraceList } from "./use-trace-list.ts";

const route = getRouteApi("/traces");

/** Loaded when rows are added to a test set: it brings all of test sets along. */
const AddRowsDialog = lazy(async () => {
  const { AddRowsDialog: component } = await loadPart(() => import("./add-rows-dialog.tsx"));
  return { default: component };
});

/** Every trace, newest first: filtered, searched, and as they arrive. */
export function TracesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: session } = useQuery(sessionQuery(usePlatform()));
  const view = useListView(search);
  const [columns, chooseColumns] = useChosenColumns();
  const [opened, setOpened] = useState<"help" | "filter" | null>(null);
  const [areKeysOff, setKeysOff] = useKeptFlag("agate-character-keys-off");
  const [toDelete, setToDelete] = useState<TraceRow | null>(null);
  const [toAdd, setToAdd] = useState<readonly TraceRow[] | null>(null);
  const searchInput = useRef<HTMLInputElement>(null);
  const { request, query, rows, hasMore, problems, selected, checked, tail } = view;
  useTitle(request.view === "spans" ? "Spans" : "Traces");
  const actions = useRowActions({
    list: search,
    mayDelete: mayDo(session, "admin"),
    select: selected.select,
    askToDelete: setToDelete,
    addToTestSet: useCallback((row: TraceRow) => setToAdd([row]), []),
    check: checked.toggle,
  });
  const go = (next: TracesSearch, how: "typed" | "chosen" = "chosen") =>
    // useListView scrolls another list to its top; the router would restore the old position.
    void navigate({ search: next, replace: how === "typed", resetScroll: false });
  const setLive = (isOn: boolean) => {
    if (isOn) view.resume();
    go(withLive(search, isOn));
  };
  useListKeys(!areKeysOff, {
    move: view.moveSelection,
    open: () => {
      const row = rows[selected.index];
      if (row !== undefined) actions.open(row);
    },
    check: (isRange) => {
      const row = rows[selected.index];
      if (row !== undefined) checked.toggle(row.key, isRange);
    },
    checkAll: checked.toggleAll,
    clear: () => {
      view.clearSelection();
      checked.clear();
    },
    search: () => searchInput.current?.focus(),
    addFilter: () => setOpened("filter"),
    toggleLive: () => setLive(!tail.isOn),
    help: () => setOpened("help"),
  });

  return (
    <>
      <TracesHeader
        search={search}
        problems={problems}
        count={query.data ? { rows: rows.length, hasMore } : null}
        isBroken={tail.live.isBroken}
        columns={columns}
        onColumns={chooseColumns}
        onHelp={() => setOpened("help")}
        onChange={go}
        onLive={setLive}
      />
      <FilterBar
        search={search}
        problems={problems}
        searchInput={searchInput}
        isAdding={opened === "filter"}
        onAdding={(isAdding) => setOpened(isAdding ? "filter" : null)}
        onChange={go}
      />
      {request.view === "traces" && rows.length > 0 && (
        <TraceHistogram search={search} onNarrow={(range) => go(withTimeRange(search, range))} />
      )}
      <div className="relative flex min-h-0 flex-1 flex-col" {...tail.pointer}>
        {rows.length > 0 ? (
          <Rows view={view} columns={columns} actions={actions} />
        ) : (
          <TraceListState
            search={search}
            query={query}
            problems={problems}
            onClear={() => go(withoutFilters(search))}
          />
        )}
      </div>
      {checked.rows.length > 0 && (
        <SelectionBar checked={checked} listed={rows.length} onAdd={() => setToAdd(checked.rows)} />
      )}
      {opened === "help" && (
        <KeysHelp
          hasCharacters={!areKeysOff}
          onCharacters={(areOn) => setKeysOff(!areOn)}
          onClose={() => setOpened(null)}
        />
      )}
      {toAdd !== null && (
        <Suspense>
          <AddRowsDialog rows={toAdd} onClose={() => setToAdd(null)} />
        </Suspense>
      )}
      {toDelete !== null && <DeleteRowDialog row={toDelete} onClose={() => setToDelete(null)} />}
    </>
  );
}

/** The list of an address, with its selected row, its scroll position and its live tail. */
function useListView(search: TracesSearch) {
  const [settled, setSettled] = useState<string | null>(null);
  const list = useTraceList(search, settled);
  const { name, rows, request } = list;
  const selected = useSelectedRow(name, rows);
  const checked = useCheckedRows(name, rows);
  const handle = useRef<RowsHandle>(null);
  const tail = useLiveTail(request, {
    isOn: search.live === "on",
    hasRows: rows.length > 0,
    isSelected: selected.index >= 0,
    isValid: list.problems.size === 0,
    onSettled: () => setSettled(name),
  });

  // Another list starts at its top.
  const shownList = useRef(name);
  useEffect(() => {
    if (shownList.current !== name) handle.current?.scrollToTop();
    shownList.current = name;
  }, [name]);

  const clearSelection = () => {
    selected.select(null);
    // Otherwise the row's link keeps the focus, and the next key starts from there.
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement && activeElement.closest("[role=grid]")) {
      activeElement.blur();
    }
  };
  return {
    ...list,
    selected,
    checked,
    handle,
    tail,
    clearSelection,
    /** Undoes everything that pauses the live tail. */
    resume: () => {
      clearSelection();
      tail.resume();
      handle.current?.scrollToTop();
    },
    moveSelection: (by: number) => {
      const from =
        selected.index >= 0 ? selected.index + by : (handle.current?.firstInSight() ?? 0);
      const index = Math.max(0, Math.min(rows.length - 1, Number.isFinite(by) ? from : by));
      const row = rows[index];
      if (row === undefined) return;
      selected.select(row.key);
      handle.current?.scrollTo(index);
    },
  };
}

interface RowsProps {
  readonly view: ReturnType<typeof useListView>;
  readonly columns: ReadonlySet<ColumnId>;
  readonly actions: RowActions;
}

function Rows({ view, columns, actions }: RowsProps) {
  const { request, query, rows, hasMore, selected, checked, handle, tail } = view;
  const what = request.view === "spans" ? "span" : "trace";
  return (
    <>
      <LivePill
        tail={tail}
        what={what}
        onShow={() => {
          tail.live.show();
          view.resume();
        }}
      />
      <TraceRows
        ref={handle}
        rows={rows}
        view={request.view}
        chosen={columns}
        selected={selected.index}
        checked={checked}
        initialTop={selected.initialTop}
        hasMore={hasMore}
        mayReadOn={hasMore && !query.isFetching && !query.isFetchNextPageError}
        isStale={query.isPlaceholderData}
        actions={actions}
        onScroll={(top) => {
          tail.onScroll(top);
          selected.noteTop(top);
        }}
        onNearEnd={() => void query.fetchNextPage()}
      >
        <ListEnd query={query} hasMore={hasMore} count={rows.length} what={what} />
      </TraceRows>
    </>
  );
}

function DeleteRowDialog({
  row,
  onClose,
}: {
  readonly row: TraceRow;
  readonly onClose: () => void;
}) {
  const client = usePlatform();
  const queries = useQueryClient();
  const onDeleted = () => {
    for (const view of ["traces", "spans"] as const) {
      queries.setQueriesData<TracePages>(
        { queryKey: tracesKey(client, view) },
        (list) => list && { ...list, pages: [...withoutTrace(list.pages, row.traceId)] },
      );
    }
    onClose();
  };
  return <DeleteTraceDialog trace={row} onDeleted={onDeleted} onClose={onClose} />;
}
