import type { AnalyticsTime } from "../api/analytics.ts";
import { spanLength, type TimeRange, timeRangeSearch } from "../time-range/time-range.ts";

/** The filters of the list of traces, in the address: names as `GET /observability/traces/` has them. */
export const TRACE_FILTERS = [
  "q",
  "application",
  "route",
  "variant",
  "revision",
  "environment",
  "status",
  "spankind",
  "name",
  "user_id",
  "session_id",
  "min_latency",
  "min_cost",
] as const;
export type TraceFilter = (typeof TRACE_FILTERS)[number];

export type TraceFilters = Partial<Readonly<Record<TraceFilter, string>>>;

export interface TracesSearch extends TraceFilters {
  /** A range that ends now: `15m`, `1h`, `24h`, `7d`, `30d`; or `all`, which is what nothing means. */
  readonly range?: string;
  /** Or a fixed one, ISO 8601. */
  readonly from?: string;
  readonly to?: string;
  /** Whether new traces appear by themselves. */
  readonly live?: "on";
  /** Every span instead of every trace. */
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

/** The filters alone. */
export function filtersOf(search: TracesSearch): TraceFilters {
  return Object.fromEntries(
    TRACE_FILTERS.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
  );
}

/** An address with one filter set; an empty value takes it away. */
export function withFilter(search: TracesSearch, name: TraceFilter, value: string): TracesSearch {
  const { [name]: _before, ...rest } = search;
  return value === "" ? rest : { ...rest, [name]: value };
}

/** An address without any filter or range: everything there is. */
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

/** What is shown of a trace, in the address. */
interface TraceSearch {
  /** The id of the chosen span. */
  readonly span?: string;
}

export function parseTraceSearch({ span }: Record<string, unknown>): TraceSearch {
  return typeof span === "string" ? { span } : {};
}

/** How far back values are suggested where a range has no beginning. */
const LOOK_BACK = { kind: "last", span: "30d" } as const;

/** A range with a beginning: values of all time would take long to group. */
export function boundedRange(range: TimeRange): TimeRange {
  return isAll(range) ? LOOK_BACK : range;
}

/** What the histogram is over: the list's own range, all of it. */
export function histogramTime(range: TimeRange): AnalyticsTime {
  if (isAll(range)) return { from: "earliest" };
  if (range.kind === "last") return { last: spanLength(range.span) ?? 0 };
  const { range: _span, ...ends } = timeRangeSearch(range);
  return { from: "earliest", ...ends };
}

function isAll(range: TimeRange): boolean {
  return range.kind === "last" && spanLength(range.span) === null;
}
