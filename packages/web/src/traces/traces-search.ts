/** The filters of the list of traces, in the address: names as `GET /observability/traces/` has them. */
export const TRACE_FILTERS = [
  "q",
  "application",
  "route",
  "variant",
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

export interface TracesSearch extends Partial<Record<TraceFilter, string>> {
  /** A range that ends now: `15m`, `1h`, `24h`, `7d`, `30d`. */
  readonly range?: string;
  /** Or a fixed one, ISO 8601. */
  readonly from?: string;
  readonly to?: string;
  /** Whether new traces appear by themselves. */
  readonly live?: "on";
}

export function parseTracesSearch(search: Record<string, unknown>): TracesSearch {
  const names = [...TRACE_FILTERS, "range", "from", "to"] as const;
  const given = names.flatMap((name) => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  return { ...Object.fromEntries(given), ...(search.live === "on" && { live: "on" }) };
}
