import type { ListedSpan } from "@agate/protocol";
import type { ApiClient, Query } from "../../api-client/api-client.ts";
import { apiPath } from "../../api-client/api-path.ts";
import type { Page } from "../client/items.ts";

/**
 * Lists traces page by page until there are `limit` of them or no more: the platform ends a page early
 * where its items are large.
 */
export async function* tracePages(
  api: Pick<ApiClient, "get">,
  query: Query,
  limit: number,
): AsyncGenerator<Page<ListedSpan>, void, void> {
  let cursor = query.cursor;
  for (let left = limit; left > 0; ) {
    const asked = { ...query, limit: left, cursor };
    const { value } = await api.get<Page<ListedSpan>>(apiPath`/observability/traces/`, asked);
    yield value;
    if (value.next_cursor === null) return;
    left -= value.items.length;
    cursor = value.next_cursor;
  }
}
