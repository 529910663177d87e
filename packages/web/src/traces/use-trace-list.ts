import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { type TraceListRequest, tracesQuery } from "../api/traces.ts";
import { boundsOf, parseTimeRange, timeRangeSearch } from "../time-range/time-range.ts";
import { flattenRows } from "./live/merge-rows.ts";
import { filtersOf, type TracesSearch } from "./traces-search.ts";

/** What is asked for by an address. */
export function traceListRequest(search: TracesSearch): TraceListRequest {
  const range = parseTimeRange(search, "all");
  return {
    view: search.view ?? "traces",
    filters: filtersOf(search),
    bounds: () => boundsOf(range, Date.now()),
    range: JSON.stringify(timeRangeSearch(range)),
  };
}

/** The pages that were read so far, and their rows. */
export function useTraceList(request: TraceListRequest) {
  const query = useInfiniteQuery(tracesQuery(usePlatform(), request));
  const pages = query.data?.pages;
  const rows = useMemo(() => (pages === undefined ? [] : flattenRows(pages)), [pages]);
  return { query, rows };
}
