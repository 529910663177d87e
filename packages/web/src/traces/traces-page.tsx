import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { mayDo, sessionQuery } from "../api/session.ts";
import type { TraceRow } from "../api/trace-row.ts";
import { useKeptFlag } from "../design/browser-state.ts";
import { useTitle } from "../design/page-header.tsx";
import { withTimeRange } from "../time-range/time-range.ts";
import { FilterBar } from "./filters/filter-bar.tsx";
import { filterProblems } from "./filters/filter-fields.ts";
import { KeysHelp, useListKeys } from "./list-keys.tsx";
import { LivePill, usePause } from "./live/live-controls.tsx";
import { useLiveRows } from "./live/use-live-rows.ts";
import { useChosenColumns } from "./rows/column-picker.tsx";
import { DeleteDialog } from "./rows/delete-dialog.tsx";
import { type RowsHandle, TraceRows } from "./rows/trace-rows.tsx";
import { useRowActions } from "./rows/use-row-actions.ts";
import { useSelectedRow } from "./rows/use-selected-row.ts";
import { TraceHistogram } from "./trace-histogram.tsx";
import { ListEnd, TraceListState } from "./trace-list-state.tsx";
import { TracesHeader } from "./traces-header.tsx";
import { type TracesSearch, withLive, withoutFilters } from "./traces-search.ts";
import { traceListRequest, useTraceList } from "./use-trace-list.ts";

const route = getRouteApi("/traces");

/** Every trace, newest first: filtered, searched, and as they arrive. */
export function TracesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = usePlatform();
  const request = useMemo(() => traceListRequest(search), [search]);
  const listName = JSON.stringify([client.project, request.view, request.range, request.filters]);
  const { query, rows, hasMore } = useTraceList(request);
  const { data: session } = useQuery(sessionQuery(client));
  const selected = useSelectedRow(listName, rows);
  const [columns, chooseColumns] = useChosenColumns();
  const [opened, setOpened] = useState<"help" | "filter" | null>(null);
  const [areKeysOff, setKeysOff] = useKeptFlag("agate-character-keys-off");
  const [doomed, setDoomed] = useState<TraceRow | null>(null);
  const searchInput = useRef<HTMLInputElement>(null);
  const list = useRef<RowsHandle>(null);
  const hasRows = rows.length > 0;
  const isLive = search.live === "on";
  const pause = usePause(selected.index >= 0);
  const isPaused = isLive && hasRows && pause.isOn;
  const live = useLiveRows(request, hasRows && (!isLive || isPaused));
  const actions = useRowActions({
    list: search,
    mayDelete: mayDo(session, "admin"),
    select: selected.select,
    askToDelete: setDoomed,
  });
  const what = request.view === "spans" ? "span" : "trace";
  const problems = filterProblems(query.error);
  useTitle(request.view === "spans" ? "Spans" : "Traces");

  const go = (next: TracesSearch, how: "typed" | "chosen" = "chosen") =>
    // Another list begins at its top (below), not where the router would put it: where the last one was.
    void navigate({ search: next, replace: how === "typed", resetScroll: false });

  const clearSelection = () => {
    selected.select(null);
    // Without a selection the link would still have the focus, and the next key would begin there.
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement && activeElement.closest("[role=grid]")) {
      activeElement.blur();
    }
  };
  /** Shows new rows from now on: everything that would pause the tail is undone. */
  const resumeLive = () => {
    clearSelection();
    pause.resume();
    list.current?.scrollToTop();
  };
  const setLive = (isOn: boolean) => {
    if (isOn) resumeLive();
    go(withLive(search, isOn));
  };

  // Another list begins at its top.
  const shownList = useRef(listName);
  useEffect(() => {
    if (shownList.current !== listName) list.current?.scrollToTop();
    shownList.current = listName;
  }, [listName]);

  useListKeys(!areKeysOff, {
    move: (by) => {
      const from = selected.index >= 0 ? selected.index + by : (list.current?.firstInSight() ?? 0);
      const index = Math.max(0, Math.min(rows.length - 1, Number.isFinite(by) ? from : by));
      const row = rows[index];
      if (row === undefined) return;
      selected.select(row.key);
      list.current?.scrollTo(index);
    },
    open: () => {
      const row = rows[selected.index];
      if (row !== undefined) actions.open(row);
    },
    clear: clearSelection,
    search: () => searchInput.current?.focus(),
    addFilter: () => setOpened("filter"),
    toggleLive: () => setLive(!isLive),
    help: () => setOpened("help"),
  });

  return (
    <>
      <TracesHeader
        search={search}
        problems={problems}
        count={query.data ? { rows: rows.length, hasMore } : null}
        isBroken={live.isBroken}
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
      {request.view === "traces" && hasRows && (
        <TraceHistogram search={search} onNarrow={(range) => go(withTimeRange(search, range))} />
      )}
      <div className="relative flex min-h-0 flex-1 flex-col" {...pause.pointer}>
        {hasRows ? (
          <>
            <LivePill
              live={live}
              isLive={isLive}
              isPaused={isPaused}
              what={what}
              onShow={() => {
                live.show();
                resumeLive();
              }}
            />
            <TraceRows
              ref={list}
              rows={rows}
              view={request.view}
              chosen={columns}
              selected={selected.index}
              initialTop={selected.initialTop}
              hasMore={hasMore}
              mayReadOn={hasMore && !query.isFetching && !query.isFetchNextPageError}
              isStale={query.isPlaceholderData}
              actions={actions}
              onScroll={(top) => {
                pause.onScroll(top);
                selected.noteTop(top);
              }}
              onNearEnd={() => void query.fetchNextPage()}
            >
              <ListEnd query={query} hasMore={hasMore} count={rows.length} what={what} />
            </TraceRows>
          </>
        ) : (
          <TraceListState
            search={search}
            query={query}
            problems={problems}
            onClear={() => go(withoutFilters(search))}
          />
        )}
      </div>
      {opened === "help" && (
        <KeysHelp
          hasCharacters={!areKeysOff}
          onCharacters={(areOn) => setKeysOff(!areOn)}
          onClose={() => setOpened(null)}
        />
      )}
      {doomed !== null && <DeleteDialog row={doomed} onClose={() => setDoomed(null)} />}
    </>
  );
}
