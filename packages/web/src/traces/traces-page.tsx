import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Keyboard } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { mayDo, sessionQuery } from "../api/session.ts";
import type { TraceRow } from "../api/trace-row.ts";
import { Choice } from "../design/choice.tsx";
import { IconButton } from "../design/icon-button.tsx";
import { PageHeader } from "../design/page-header.tsx";
import { useTitle } from "../design/use-title.ts";
import { formatCount } from "../format/format-count.ts";
import { parseTimeRange, withTimeRange } from "../time-range/time-range.ts";
import { TimeRangePicker } from "../time-range/time-range-picker.tsx";
import { FilterBar } from "./filters/filter-bar.tsx";
import { filterProblems } from "./filters/filter-problems.ts";
import { TraceHistogram } from "./histogram/trace-histogram.tsx";
import { KeysHelp } from "./keys/keys-help.tsx";
import { useListKeys } from "./keys/use-list-keys.ts";
import { LiveButton } from "./live/live-button.tsx";
import { LivePill } from "./live/live-pill.tsx";
import { useLiveRows } from "./live/use-live-rows.ts";
import { usePause } from "./live/use-pause.ts";
import { ColumnPicker } from "./rows/column-picker.tsx";
import { DeleteDialog } from "./rows/delete-dialog.tsx";
import { ListEnd } from "./rows/list-end.tsx";
import { type RowsHandle, TraceRows } from "./rows/trace-rows.tsx";
import { useChosenColumns } from "./rows/use-chosen-columns.ts";
import { usePlace } from "./rows/use-place.ts";
import { TraceListState } from "./trace-list-state.tsx";
import { type TracesSearch, withoutFilters } from "./traces-search.ts";
import { useRowActions } from "./use-row-actions.ts";
import { traceListRequest, useTraceList } from "./use-trace-list.ts";

const route = getRouteApi("/traces");

/** Every trace, newest first: filtered, searched, and as they arrive. */
export function TracesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = usePlatform();
  const request = useMemo(() => traceListRequest(search), [search]);
  const { query, rows } = useTraceList(request);
  const session = useQuery(sessionQuery(client));
  const [left, keepPlace] = usePlace();
  const [selected, setSelected] = useState(left.selected);
  const topNow = useRef(left.top);
  useEffect(() => () => keepPlace({ top: topNow.current }), [keepPlace]);
  const select = useCallback(
    (key: string | null) => {
      setSelected(key);
      keepPlace({ selected: key });
    },
    [keepPlace],
  );
  const selectedIndex = useMemo(
    () => (selected === null ? -1 : rows.findIndex(({ key }) => key === selected)),
    [rows, selected],
  );
  const [columns, chooseColumns] = useChosenColumns();
  const [dialog, setDialog] = useState<"help" | "filter" | null>(null);
  const [doomed, setDoomed] = useState<TraceRow | null>(null);
  const searchInput = useRef<HTMLInputElement>(null);
  const list = useRef<RowsHandle>(null);
  const isLive = search.live === "on";
  const pause = usePause(rows.length > 0 && selectedIndex >= 0);
  const isPaused = isLive && rows.length > 0 && pause.isOn;
  const live = useLiveRows(request, rows.length > 0 && (!isLive || isPaused));
  const actions = useRowActions({
    view: request.view,
    mayDelete: mayDo(session.data, "admin"),
    select,
    askToDelete: setDoomed,
  });
  const what = request.view === "spans" ? "span" : "trace";
  const problems = filterProblems(query.error);
  useTitle(request.view === "spans" ? "Spans" : "Traces");

  const go = (next: TracesSearch, how: "typed" | "chosen" = "chosen") =>
    void navigate({ search: next, replace: how === "typed" });
  const toggleLive = () => {
    const { live: _live, ...rest } = search;
    go(isLive ? rest : { ...rest, live: "on" });
  };
  // Another list begins at its top.
  const listName = JSON.stringify([request.view, request.range, request.filters]);
  const shownList = useRef(listName);
  useEffect(() => {
    if (shownList.current !== listName) list.current?.scrollToTop();
    shownList.current = listName;
  }, [listName]);

  useListKeys({
    move: (by) => {
      const index = Math.max(0, Math.min(rows.length - 1, selectedIndex + by));
      const row = rows[index];
      if (row === undefined) return;
      select(row.key);
      list.current?.scrollTo(index);
    },
    open: () => {
      const row = rows[selectedIndex];
      if (row !== undefined) actions.open(row);
    },
    clear: () => {
      select(null);
      if (document.activeElement instanceof HTMLAnchorElement) document.activeElement.blur();
    },
    search: () => searchInput.current?.focus(),
    addFilter: () => setDialog("filter"),
    toggleLive,
    help: () => setDialog("help"),
  });

  return (
    <>
      <PageHeader
        title={
          <>
            {request.view === "spans" ? "Spans" : "Traces"}
            {query.data !== undefined && (
              <span className="ml-2 text-base font-normal text-ink-soft tabular-nums">
                {formatCount(rows.length)}
                {query.hasNextPage && "+"}
              </span>
            )}
          </>
        }
        actions={
          <>
            <Choice
              label="What is listed"
              options={[
                { value: "traces", label: "Traces" },
                { value: "spans", label: "Spans" },
              ]}
              value={request.view}
              onChange={(view) => {
                const { view: _view, ...rest } = search;
                go(view === "spans" ? { ...rest, view } : rest);
              }}
            />
            <TimeRangePicker
              value={parseTimeRange(search, "all")}
              hasAll
              problem={problems.get("from") ?? problems.get("to")}
              onChange={(range) => {
                const { range: span, ...rest } = withTimeRange(search, range);
                go(span === undefined || span === "all" ? rest : { ...rest, range: span });
              }}
            />
            <LiveButton isOn={isLive} isBroken={live.isBroken} onToggle={toggleLive} />
            <ColumnPicker chosen={columns} onChange={chooseColumns} />
            <IconButton icon={Keyboard} label="Keys" onClick={() => setDialog("help")} />
          </>
        }
      />
      <FilterBar
        search={search}
        problems={problems}
        searchInput={searchInput}
        isAdding={dialog === "filter"}
        onAdding={(isAdding) => setDialog(isAdding ? "filter" : null)}
        onChange={go}
      />
      {request.view === "traces" && rows.length > 0 && (
        <TraceHistogram
          search={search}
          oldest={query.data?.pages[0]?.rows.at(-1)?.startedAt ?? null}
          onNarrow={(range) => go(withTimeRange(search, range))}
        />
      )}
      <div className="relative flex min-h-0 flex-1 flex-col" {...pause.pointer}>
        {rows.length === 0 ? (
          <TraceListState
            search={search}
            query={query}
            problems={problems}
            onClear={() => go(withoutFilters(search))}
          />
        ) : (
          <>
            <LivePill
              live={live}
              isLive={isLive}
              isPaused={isPaused}
              what={what}
              onShow={() => {
                live.show();
                select(null);
                pause.resume();
                list.current?.scrollToTop();
              }}
            />
            <TraceRows
              ref={list}
              rows={rows}
              view={request.view}
              chosen={columns}
              selected={selectedIndex}
              initialTop={left.top}
              hasMore={query.hasNextPage}
              isStale={query.isPlaceholderData}
              actions={actions}
              onScroll={(top) => {
                pause.onScroll(top);
                topNow.current = top;
              }}
              onNearEnd={() => {
                if (!query.isFetching && !query.isFetchNextPageError) void query.fetchNextPage();
              }}
            >
              <ListEnd query={query} count={rows.length} what={what} />
            </TraceRows>
          </>
        )}
      </div>
      {dialog === "help" && <KeysHelp onClose={() => setDialog(null)} />}
      {doomed !== null && <DeleteDialog row={doomed} onClose={() => setDoomed(null)} />}
    </>
  );
}
