import type { ListedSpan } from "@agate/protocol";
import { type InfiniteData, infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { PlatformClient } from "./platform-client.ts";
import { type ListView, type RowPosition, type TraceRow, traceRow } from "./trace-row.ts";

/** What a list is asked for. */
export interface TraceListRequest {
  readonly view: ListView;
  /** Filters by the names that the platform has for them. */
  readonly filters: Readonly<Record<string, string>>;
  /** When the range begins and ends, at a time in milliseconds since 1970: one that ends now moves on. */
  readonly bounds: (now: number) => { readonly from?: string; readonly to?: string };
  /** Names the range, which does not move on. */
  readonly range: string;
}

export interface TracePage {
  readonly rows: readonly TraceRow[];
  readonly next: NextPage | null;
}

/** Where the next page begins; the range stays as it was for the first one. */
export interface NextPage {
  readonly cursor: string;
  readonly after: RowPosition;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** A list as far as it was read. */
export type TracePages = InfiniteData<TracePage, NextPage | null>;

/** The first page comes at once, the others are for those who read on. */
const FIRST_PAGE = 50;
const NEXT_PAGES = 200;
/** Long enough to read a trace and come back to the list as it was. */
const KEPT_MS = 30 * 60_000;

/** All lists have a key that begins with this; those of traces, or of spans, with that as well. */
export function tracesKey(
  client: PlatformClient,
  ...view: readonly ListView[]
): readonly unknown[] {
  return [client.project, "traces", ...view];
}

/** Newest first, a page at a time. It is not refetched: new traces are merged into it. */
export function tracesQuery(client: PlatformClient, request: TraceListRequest) {
  return infiniteQueryOptions({
    queryKey: [...tracesKey(client, request.view), request.range, request.filters],
    queryFn: ({ signal, pageParam }) => readTracePage(client, request, pageParam, signal),
    initialPageParam: null as NextPage | null,
    getNextPageParam: (page: TracePage) => page.next,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_MS,
    // Rows never change within; comparing a hundred thousand of them for every page would take long.
    structuralSharing: false,
  });
}

/**
 * The first page, or the one that `next` names. A page ends early where its records are long, and may
 * hold none where those were deleted meanwhile: it is read on until there is something to show.
 */
export async function readTracePage(
  client: Pick<PlatformClient, "get">,
  { view, filters, bounds }: TraceListRequest,
  next: NextPage | null,
  signal?: AbortSignal,
): Promise<TracePage> {
  const { from, to } = next ?? bounds(Date.now());
  const limit = next === null ? FIRST_PAGE : NEXT_PAGES;
  let cursor = next?.cursor ?? null;
  for (;;) {
    const page = await client.get<ListedPage>(`/observability/${view}/`, {
      query: { ...filters, from, to, limit, cursor },
      signal,
    });
    const rows = page.items.map((item) => traceRow(item, view));
    const after = rows.at(-1);
    cursor = page.next_cursor;
    if (cursor === null) return { rows, next: null };
    if (after === undefined) continue;
    const { startedAt, traceId, key } = after;
    return { rows, next: { cursor, after: { startedAt, traceId, key }, from, to } };
  }
}

interface ListedPage {
  readonly items: readonly ListedSpan[];
  readonly next_cursor: string | null;
}

/** Removes a trace for good. */
export function deleteTrace(client: PlatformClient, traceId: string): Promise<void> {
  return client.send("DELETE", `/observability/traces/${encodeURIComponent(traceId)}/`);
}
