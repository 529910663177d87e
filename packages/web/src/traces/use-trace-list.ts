import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { adoptFirstTraces, type TraceListRequest, tracesQuery } from "../api/traces.ts";
import { useNow } from "../design/browser-state.ts";
import { boundsOf, parseTimeRange, timeRangeSearch } from "../time-range/time-range.ts";
import { filterProblems } from "./filters/filter-fields.ts";
import { flattenRows, rowsSince } from "./live/merge-rows.ts";
import { filtersOf, type TracesSearch } from "./traces-search.ts";

/**
 * The list that an address asks for: the pages read so far, and the rows still within its range.
 *
 * @param settled The name of the list whose stream has settled: another list is not read yet.
 */
export function useTraceList(search: TracesSearch, settled: string | null) {
  const client = usePlatform();
  const queries = useQueryClient();
  const request = useMemo(() => traceListRequest(search), [search]);
  // Once, and before the query is looked up: its first answer is there then.
  useState(() => adoptFirstTraces(queries, client, request));
  const name = JSON.stringify([client.project, request.view, request.range, request.filters]);
  const query = useInfiniteQuery({ ...tracesQuery(client, request), enabled: settled === name });
  const pages = query.data?.pages;
  const read = useMemo(() => (pages === undefined ? [] : flattenRows(pages)), [pages]);
  const now = useNow();
  const { isPlaceholderData } = query;
  const rows = useMemo(
    // Rows of the previous list, shown until this one is read, stay as they are.
    () => (isPlaceholderData ? read : rowsSince(read, request.bounds(now).from)),
    [read, request, now, isPlaceholderData],
  );
  return {
    request,
    /** Identifies the list. */
    name,
    query,
    rows,
    // Rows after one that is too old are older still.
    hasMore: query.hasNextPage && rows.length === read.length,
    /** The filters that the platform rejected, with its messages. */
    problems: filterProblems(query.error),
  };
}

export type TraceList = ReturnType<typeof useTraceList>;

function traceListRequest(search: TracesSearch): TraceListRequest {
  const range = parseTimeRange(search, "all");
  return {
    view: search.view ?? "traces",
    filters: filtersOf(search),
    bounds: (now) => boundsOf(range, now),
    range: JSON.stringify(timeRangeSearch(range)),
  };
}
