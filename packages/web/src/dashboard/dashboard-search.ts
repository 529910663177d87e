import { parseTimeRange, type TimeRange } from "../time-range/time-range.ts";

/** What figures can be split by and filtered by. */
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

/** What the dashboard shows, in the address. */
export interface DashboardSearch extends DashboardFilters {
  /** A range that ends now: `1h`, `24h`, `7d`, `30d`. */
  readonly range?: string;
  /** Or a fixed one, ISO 8601. */
  readonly from?: string;
  readonly to?: string;
  /** What the figures are split by: one of {@link SPLITS}, or `none`. */
  readonly by?: string;
  /** Which percentile of the latency is drawn where each group has a line. */
  readonly percentile?: string;
  /** The column that the groups are sorted by; with a `-` before it, the lowest first. */
  readonly sort?: string;
}

export type DashboardFilters = Partial<Readonly<Record<Split, string>>>;

const NAMES = ["range", "from", "to", "by", "percentile", "sort", ...SPLITS] as const;

export function parseDashboardSearch(search: Record<string, unknown>): DashboardSearch {
  const given = NAMES.flatMap((name) => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  return Object.fromEntries(given);
}

/** Of all time there are no buckets: that is a day. */
export function rangeOf(search: DashboardSearch): TimeRange {
  const range = parseTimeRange(search);
  return range.kind === "last" && range.span === "all" ? { kind: "last", span: "24h" } : range;
}

export function filtersOf(search: DashboardSearch): DashboardFilters {
  return Object.fromEntries(
    SPLITS.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
  );
}

/** By application where nothing is said; null where nothing is split. */
export function splitOf({ by }: DashboardSearch): Split | null {
  if (by === "none") return null;
  return SPLITS.find((split) => split === by) ?? "application";
}

export function percentileOf({ percentile }: DashboardSearch): Percentile {
  return PERCENTILES.find((each) => each === percentile) ?? "p95";
}
