import type { SpanRecord } from "@agate/protocol";
import { queryOptions } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";
import type { PlatformClient } from "./platform-client.ts";

export function tracePath(traceId: string): string {
  return `/observability/traces/${encodeURIComponent(traceId)}/`;
}

/** A whole trace; null where there is none. The platform's live events tell when one arrives. */
export function traceQuery(client: PlatformClient, traceId: string) {
  return queryOptions({
    queryKey: [client.project, "trace", traceId],
    queryFn: async ({ signal }) => {
      try {
        return await client.get<SpanRecord>(tracePath(traceId), { signal });
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
    // Comparing ten thousand spans takes longer than showing them, and a chain may be deeper than calls can be.
    structuralSharing: false,
    // Changes are told by the platform.
    staleTime: 60_000,
  });
}

/** The trace as the platform sends it, for a file: not a digit is lost. */
export async function downloadTrace(client: PlatformClient, traceId: string): Promise<Blob> {
  return (await client.open("GET", tracePath(traceId), undefined)).blob();
}

/** A span with everything below it. */
export function spanQuery(client: PlatformClient, spanId: string) {
  return queryOptions({
    queryKey: [client.project, "span", spanId],
    queryFn: ({ signal }) => readSpan(client, spanId, signal),
  });
}

/** A span with all below it. */
export function readSpan(
  client: PlatformClient,
  spanId: string,
  signal: AbortSignal,
): Promise<SpanRecord> {
  return client.get<SpanRecord>(`/observability/spans/${encodeURIComponent(spanId)}/`, { signal });
}
