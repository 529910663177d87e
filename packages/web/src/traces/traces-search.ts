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
