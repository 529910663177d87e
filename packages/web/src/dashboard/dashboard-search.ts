import { parseTimeRange, type TimeRange } from "../time-range/time-range.ts";

/** The dimensions to split and filter by. */
export const SPLITS = ["application", "route", "variant", "environment"] as const;
export type Split = (typeof SPLITS)[number];

export const SPLIT_LABELS: Readonly<Record<Split, string>> = {
  application: "Application",
  route: "Route",
  variant: "Variant",
  environment: "Environment",
};

export const PERCENTILES = ["p50", "p95", "p99"] as const;
export type Percentile = (typeof PERCENTILES)[number];

/** The address of the dashboard. */
export interface DashboardSearch extends DashboardFilters {
  /** A range that ends now: `1h`, `24h`, `7d`, `30d`. */
  readonly range?: string;
  /** Or a fixed range, ISO 8601. */
  readonly from?: string;
  readonly to?: string;
  /** The dimension to split by: one of {@link SPLITS}, or `none`. */
  readonly by?: string;
  /** The percentile of latency in a split chart. */
  readonly percentile?: string;
  /** The column to sort groups by; a leading `-` sorts ascending. */
  readonly sort?: string;
  /** The name of the score whose mean is shown. */
  readonly score?: string;
}

/** The dimensions, and the traffic. */
export const FILTERS = [...SPLITS, "traffic"] as const;

export type DashboardFilters = Partial<Readonly<Record<(typeof FILTERS)[number], string>>>;

const NAMES = ["range", "from", "to", "by", "percentile", "sort", "score", ...FILTERS] as const;

export function parseDashboardSearch(search: Record<string, unknown>): DashboardSearch {
  const given = NAMES.flatMap((name) => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  return Object.fromEntries(given);
}

/** The range; a day for `all`, since all time cannot be divided into buckets. */
export function rangeOf(search: DashboardSearch): TimeRange {
  const range = parseTimeRange(search);
  return range.kind === "last" && range.span === "all" ? { kind: "last", span: "24h" } : range;
}

export function filtersOf(search: DashboardSearch): DashboardFilters {
  return Object.fromEntries(
    FILTERS.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
  );
}

/** The dimension to split by; `application` by default, null for `none`. */
export function splitOf({ by }: DashboardSearch): Split | null {
  if (by === "none") return null;
  return SPLITS.find((split) => split === by) ?? "application";
}

export function percentileOf({ percentile }: DashboardSearch): Percentile {
  return PERCENTILES.find((each) => each === percentile) ?? "p95";
}
