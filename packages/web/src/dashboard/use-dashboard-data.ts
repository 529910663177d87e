import type { Analytics, AnalyticsFigures } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { type AnalyticsTime, analyticsQuery, type GroupedAnalytics } from "../api/analytics.ts";
import { usePlatform } from "../api/platform-context.tsx";
import type { DashboardFilters, Split } from "./dashboard-search.ts";

const REFRESH_MS = 10_000;
/** While there are no calls yet, the first one should appear soon. */
const FIRST_CALL_MS = 2000;
/** The number of chart colours. */
const MOST_GROUPS = 8;

interface DashboardRequest {
  readonly time: AnalyticsTime;
  readonly filters: DashboardFilters;
  readonly split: Split | null;
  /** Whether the range ends now: it is polled while the page is visible. */
  readonly isGrowing: boolean;
}

export interface DashboardData {
  readonly analytics: GroupedAnalytics | undefined;
  readonly before: AnalyticsFigures | undefined;
  readonly error: Error | null;
  readonly isFetching: boolean;
  readonly refresh: () => void;
}

/** The figures of a range and of the previous period. */
export function useDashboardData(request: DashboardRequest): DashboardData {
  const client = usePlatform();
  const { time, filters, split, isGrowing } = request;
  const now = useQuery({
    ...analyticsQuery(client, { time, filters, groupBy: split, groupLimit: MOST_GROUPS }),
    refetchInterval: ({ state }) => {
      if (!isGrowing) return false;
      return state.data?.total.count === 0 ? FIRST_CALL_MS : REFRESH_MS;
    },
  });
  const period = now.data === undefined ? null : periodBefore(now.data);
  const before = useQuery({
    ...analyticsQuery(client, {
      time: period ?? {},
      filters,
      ...(now.data && { interval: now.data.interval }),
    }),
    enabled: period !== null && !now.isPlaceholderData,
  });
  // Placeholder data belongs to another range or other filters.
  const isComparable = before.data?.to === now.data?.from && !before.isPlaceholderData;
  return {
    analytics: now.data,
    before: isComparable ? before.data?.total : undefined,
    error: now.error,
    isFetching: now.isFetching,
    refresh: () => void now.refetch(),
  };
}

/** The period of equal length before a response; null if it would start before 1970. */
export function periodBefore({
  from,
  to,
}: Pick<Analytics, "from" | "to">): { readonly from: string; readonly to: string } | null {
  const start = 2 * Date.parse(from) - Date.parse(to);
  return start < 0 ? null : { from: new Date(start).toISOString(), to: from };
}
