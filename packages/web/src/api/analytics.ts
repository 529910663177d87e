import type { Analytics, AnalyticsGrouping, ScoreAnalytics } from "@agate/protocol";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { PlatformClient, Query } from "./platform-client.ts";

/**
 * Milliseconds that end now, counted anew with each request; or fixed times, ISO 8601. `from` may be
 * `earliest`: the first trace that the filters find.
 */
export type AnalyticsTime =
  | { readonly last: number }
  | { readonly from?: string; readonly to?: string };

export interface AnalyticsRequest {
  readonly time: AnalyticsTime;
  /** By the names that `GET /observability/analytics/` has for them. */
  readonly filters: Readonly<Record<string, string | undefined>>;
  readonly groupBy?: AnalyticsGrouping | null;
  readonly groupLimit?: number;
  /** Width of a bucket: `15m`. The platform knows one that fits. */
  readonly interval?: string;
}

export interface GroupedAnalytics extends Analytics {
  /** What the groups are of: while another grouping is being asked for, the one before stays. */
  readonly groupedBy: AnalyticsGrouping | null;
}

/** What was called, and how it went. While another range is being asked for, the one before stays. */
export function analyticsQuery(client: PlatformClient, request: AnalyticsRequest) {
  const { time, filters, groupBy, groupLimit, interval } = request;
  return queryOptions({
    queryKey: [client.project, "analytics", request],
    queryFn: async ({ signal }): Promise<GroupedAnalytics> => {
      const answer = await client.get<Analytics>("/observability/analytics/", {
        query: {
          ...filters,
          ...boundsAt(time, Date.now()),
          interval,
          group_by: groupBy,
          group_limit: groupBy ? groupLimit : undefined,
        },
        signal,
      });
      return { ...answer, groupedBy: groupBy ?? null };
    },
    placeholderData: keepPreviousData,
  });
}

/** Scores in the buckets of an answer of {@link analyticsQuery}. */
export interface ScoresRequest {
  readonly from: string;
  readonly to: string;
  readonly interval: string;
  /** How many buckets the range has. */
  readonly buckets: number;
  readonly filters: Readonly<Record<string, string | undefined>>;
  readonly groupBy: AnalyticsGrouping | null;
}

export interface BucketedScores extends ScoreAnalytics {
  /** How many buckets the range has: those without scores are left out. */
  readonly bucketCount: number;
  readonly groupedBy: AnalyticsGrouping | null;
}

/** The most that the platform returns: of groups, and of their buckets together. */
const MOST_SCORE_GROUPS = 20;
const MOST_GROUP_BUCKETS = 4000;

/** How calls were judged. While another range is being asked for, the one before stays. */
export function scoresQuery(client: PlatformClient, request: ScoresRequest) {
  const { from, to, interval, buckets, filters, groupBy } = request;
  const groups = Math.min(MOST_SCORE_GROUPS, Math.floor(MOST_GROUP_BUCKETS / buckets));
  return queryOptions({
    queryKey: [client.project, "scores", request],
    queryFn: async ({ signal }): Promise<BucketedScores> => {
      const answer = await client.get<ScoreAnalytics>(SCORES_PATH, {
        query: {
          ...filters,
          from,
          to,
          interval,
          group_by: groupBy,
          group_limit: groupBy === null ? undefined : groups,
        },
        signal,
      });
      return { ...answer, bucketCount: buckets, groupedBy: groupBy };
    },
    placeholderData: keepPreviousData,
  });
}

const SCORES_PATH = "/observability/analytics/scores/";

/** The names of scores, those with most scores first: suggestions. */
export function scoreNamesQuery(client: PlatformClient, query: Query) {
  return queryOptions({
    queryKey: [client.project, "score-names", query],
    queryFn: async ({ signal }): Promise<readonly string[]> =>
      (await client.get<ScoreAnalytics>(SCORES_PATH, { query, signal })).names.map(
        ({ name }) => name,
      ),
  });
}

function boundsAt(time: AnalyticsTime, now: number): { from?: string; to?: string } {
  // The platform knows no time before 1970.
  return "last" in time ? { from: new Date(Math.max(0, now - time.last)).toISOString() } : time;
}

interface NewestTrace {
  readonly created_at: string;
}

/** When the newest trace began, live or of an evaluation, regardless of filters; null where no trace was recorded. */
export function newestTraceQuery(client: PlatformClient) {
  return queryOptions({
    queryKey: [client.project, "traces", "newest"],
    queryFn: async ({ signal }) => {
      const { items } = await client.get<{ items: readonly NewestTrace[] }>(
        "/observability/traces/",
        { query: { limit: 1, traffic: "all" }, signal },
      );
      return items[0]?.created_at ?? null;
    },
  });
}

/** A value that traces have, and how many. */
export interface Facet {
  readonly value: string;
  readonly count: number;
}

const MOST = 50;

/** The values that traces have for a filter, most frequent first: suggestions. */
export function facetsQuery(client: PlatformClient, grouping: AnalyticsGrouping, query: Query) {
  return queryOptions({
    queryKey: [client.project, "facets", grouping, query],
    queryFn: async ({ signal }): Promise<readonly Facet[]> => {
      const { groups = [] } = await client.get<Analytics>("/observability/analytics/", {
        query: { ...query, group_by: grouping, group_limit: MOST },
        signal,
      });
      return groups.flatMap(({ key, count }) => (key === null ? [] : [{ value: key, count }]));
    },
  });
}
