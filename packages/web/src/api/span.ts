import type { SpanRecord } from "@agate/protocol";
import { queryOptions } from "@tanstack/react-query";
import type { PlatformClient } from "./platform-client.ts";

/** A span with everything below it. */
export function spanQuery(client: PlatformClient, spanId: string) {
  return queryOptions({
    queryKey: [client.project, "span", spanId],
    queryFn: ({ signal }) =>
      client.get<SpanRecord>(`/observability/spans/${encodeURIComponent(spanId)}/`, { signal }),
  });
}
