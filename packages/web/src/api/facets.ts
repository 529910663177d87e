import type { Analytics, AnalyticsGrouping } from "@agate/protocol";
import { queryOptions } from "@tanstack/react-query";
import type { PlatformClient, Query } from "./platform-client.ts";

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
