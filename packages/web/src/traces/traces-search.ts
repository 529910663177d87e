import type { AnalyticsTime } from "../api/analytics.ts";
import { spanLength, type TimeRange, timeRangeSearch } from "../time-range/time-range.ts";

/** The filters in the address, named as `GET /observability/traces/` names them. */
export const TRACE_FILTERS = [
  "q",
  "traffic",
  "application",
  "route",
  "variant",
  "revision",
  "environment",
  "status",
  "any_error",
  "spankind",
  "name",
  "user_id",
  "session_id",
  "run",
  "min_latency",
  "min_cost",
  "score",
] as const;
export type TraceFilter = (typeof TRACE_FILTERS)[number];

export type TraceFilters = Partial<Readonly<Record<TraceFilter, string>>>;

export interface TracesSearch extends TraceFilters {
  /** A range that ends now: `15m`, `1h`, `24h`, `7d`, `30d`; or `all`, the default. */
  readonly range?: string;
  /** Or a fixed range, ISO 8601. */
  readonly from?: string;
  readonly to?: string;
  /** The live tail. */
  readonly live?: "on";
  /** Lists spans instead of traces. */
  readonly view?: "spans";
}

export function parseTracesSearch(search: Record<string, unknown>): TracesSearch {
  const names = [...TRACE_FILTERS, "range", "from", "to"] as const;
  const given = names.flatMap((name) => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  return {
    ...Object.fromEntries(given),
    ...(search.live === "on" && { live: "on" }),
    ...(search.view === "spans" && { view: "spans" }),
  };
}

export function filtersOf(search: TracesSearch): TraceFilters {
  return Object.fromEntries(
    TRACE_FILTERS.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
  );
}

/** Sets a filter; an empty value removes it. */
export function withFilter(search: TracesSearch, name: TraceFilter, value: string): TracesSearch {
  const { [name]: _before, ...rest } = search;
  return value === "" ? rest : { ...rest, [name]: value };
}

/** Removes all filters and the time range. */
export function withoutFilters({ live, view }: TracesSearch): TracesSearch {
  return { ...(live && { live }), ...(view && { view }) };
}

export function withLive({ live: _live, ...search }: TracesSearch, isOn: boolean): TracesSearch {
  return isOn ? { ...search, live: "on" } : search;
}

export function withView(
  { view: _view, ...search }: TracesSearch,
  view: "traces" | "spans",
): TracesSearch {
  return view === "spans" ? { ...search, view } : search;
}

/** The address of a trace. */
interface TraceSearch {
  /** The id of the selected span. */
  readonly span?: string;
  /** What the trace was searched for: the first span that has it is shown. */
  readonly q?: string;
}

export function parseTraceSearch({ span, q }: Record<string, unknown>): TraceSearch {
  return {
    ...(typeof span === "string" && { span }),
    ...(typeof q === "string" && q !== "" && { q }),
  };
}

/** The range of suggested filter values for a list of all time. */
const LOOK_BACK = { kind: "last", span: "30d" } as const;

/** A range with a start, for suggested filter values: grouping all time would take too long. */
export function boundedRange(range: TimeRange): TimeRange {
  return isAll(range) ? LOOK_BACK : range;
}

/** The time that the histogram covers: the whole range of the list. */
export function histogramTime(range: TimeRange): AnalyticsTime {
  if (isAll(range)) return { from: "earliest" };
  if (range.kind === "last") return { last: spanLength(range.span) ?? 0 };
  const { range: _span, ...ends } = timeRangeSearch(range);
  return { from: "earliest", ...ends };
}

function isAll(range: TimeRange): boolean {
  return range.kind === "last" && spanLength(range.span) === null;
}
