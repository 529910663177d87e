/** What the dashboard shows, in the address. */
export interface DashboardSearch {
  /** A range that ends now: `1h`, `24h`, `7d`, `30d`. */
  readonly range?: string;
  /** Or a fixed one, ISO 8601. */
  readonly from?: string;
  readonly to?: string;
  /** What the figures are split by: `application`, `route`, `variant`, `environment`. */
  readonly by?: string;
  readonly application?: string;
  readonly route?: string;
  readonly variant?: string;
  readonly environment?: string;
}

const NAMES = [
  "range",
  "from",
  "to",
  "by",
  "application",
  "route",
  "variant",
  "environment",
] as const;

export function parseDashboardSearch(search: Record<string, unknown>): DashboardSearch {
  const given = NAMES.flatMap((name) => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  return Object.fromEntries(given);
}
