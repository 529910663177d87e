import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { type TraceListRequest, tracesQuery } from "../api/traces.ts";
import { useNow } from "../design/browser-state.ts";
import { boundsOf, parseTimeRange, timeRangeSearch } from "../time-range/time-range.ts";
import { flattenRows, rowsSince } from "./live/merge-rows.ts";
import { filtersOf, type TracesSearch } from "./traces-search.ts";

/** What is asked for by an address. */
export function traceListRequest(search: TracesSearch): TraceListRequest {
  const range = parseTimeRange(search, "all");
  return {
    view: search.view ?? "traces",
    filters: filtersOf(search),
    bounds: (now) => boundsOf(range, now),
    range: JSON.stringify(timeRangeSearch(range)),
  };
}

/** The pages that were read so far, and of their rows those that the range has not left behind. */
export function useTraceList(request: TraceListRequest) {
  const query = useInfiniteQuery(tracesQuery(usePlatform(), request));
  const pages = query.data?.pages;
  const read = useMemo(() => (pages === undefined ? [] : flattenRows(pages)), [pages]);
  const now = useNow();
  const { isPlaceholderData } = query;
  const rows = useMemo(
    // Rows of another list, until those of this one are there, stay as they are.
    () => (isPlaceholderData ? read : rowsSince(read, request.bounds(now).from)),
    [read, request, now, isPlaceholderData],
  );
  // What comes after a row that is too old is older.
  return { query, rows, hasMore: query.hasNextPage && rows.length === read.length };
}
