import type { ListedPage } from "@agate/protocol";
import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
} from "@tanstack/react-query";
import { firstTracesKey } from "./first-answers.ts";
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
    const read = tracePage(page, view, { from, to });
    if (read !== null) return read;
    cursor = page.next_cursor;
  }
}

/** Null where it holds nothing, though the list goes on. */
function tracePage(
  { items, next_cursor: cursor }: ListedPage,
  view: ListView,
  bounds: Pick<NextPage, "from" | "to">,
): TracePage | null {
  const rows = items.map((item) => traceRow(item, view));
  if (cursor === null) return { rows, next: null };
  const last = rows.at(-1);
  if (last === undefined) return null;
  const { startedAt, traceId, key } = last;
  return { rows, next: { cursor, after: { startedAt, traceId, key }, ...bounds } };
}

/**
 * Puts the list that came with the document into the cache, if it is the one that is asked for: the newest of
 * all traces. What has arrived since is read when the stream of the list is open.
 */
export function adoptFirstTraces(
  queries: QueryClient,
  client: PlatformClient,
  request: TraceListRequest,
): void {
  const { view, filters, bounds } = request;
  const { from, to } = bounds(Date.now());
  const isWhole = from === undefined && to === undefined && Object.keys(filters).length === 0;
  const listed = queries.getQueryData<ListedPage>(firstTracesKey(client));
  if (listed === undefined || view !== "traces" || !isWhole) return;
  queries.removeQueries({ queryKey: firstTracesKey(client), exact: true });
  const page = tracePage(listed, view, { from, to });
  const { queryKey } = tracesQuery(client, request);
  if (page !== null && queries.getQueryData(queryKey) === undefined) {
    queries.setQueryData<TracePages>(queryKey, { pages: [page], pageParams: [null] });
  }
}

/** Removes a trace for good. */
export function deleteTrace(client: PlatformClient, traceId: string): Promise<void> {
  return client.send("DELETE", `/observability/traces/${encodeURIComponent(traceId)}/`);
}
