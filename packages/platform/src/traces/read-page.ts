import { QueryQueueFullError, QueryTimeoutError } from "../stores/query-lane.ts";
import type { ListPage, ListPosition } from "../stores/span-query.ts";
import { MOST_PAGE_BYTES } from "../stores/span-query.ts";
import { parseSpanId, parseTraceId } from "./span-ids.ts";

/** What a page may take. */
export interface PageLimits {
  /** A page ends when it holds this many bytes, though the list goes on; at least one item. */
  readonly bytes: number;
  /** A page is read and sent in parts of at most this many bytes, or of one item. */
  readonly partBytes: number;
}

export const PAGE_LIMITS: PageLimits = { bytes: MOST_PAGE_BYTES, partBytes: 1024 * 1024 };

/** What a list is asked for; `limit` and `maxBytes` are of one part of the page. */
export interface PartRequest {
  readonly after: ListPosition | null;
  readonly limit: number;
  readonly maxBytes: number;
}

/** A page of a list as JSON. */
export type PageAnswer =
  | { readonly kind: "whole"; readonly json: string }
  /** A larger page: each part is read when the one before it was taken. */
  | { readonly kind: "chunks"; readonly chunks: AsyncGenerator<Uint8Array, void, void> };

interface PageRequest {
  readonly after: ListPosition | null;
  readonly limit: number;
  readonly read: (part: PartRequest) => Promise<ListPage>;
  readonly limits?: PageLimits;
}

/** A page that has begun. */
interface Progress {
  readonly items: number;
  readonly bytes: number;
}

/**
 * Reads a page of a list. Memory holds one part of it, however large its items are: the client
 * that takes the page sets the pace.
 */
export async function readPage(request: PageRequest): Promise<PageAnswer> {
  const { after, limit, read, limits = PAGE_LIMITS } = request;
  const maxBytes = Math.min(limits.partBytes, limits.bytes);
  const first = await read({ after, limit, maxBytes });
  const begun = advance({ items: 0, bytes: 0 }, first);
  return isComplete(begun, first, limit, limits)
    ? { kind: "whole", json: `${pageHead(first)}${pageEnd(first.next)}` }
    : { kind: "chunks", chunks: chunksOf(request, limits, first, begun) };
}

async function* chunksOf(
  { limit, read }: PageRequest,
  limits: PageLimits,
  first: ListPage,
  begun: Progress,
): AsyncGenerator<Uint8Array, void, void> {
  yield Buffer.from(pageHead(first));
  let { next } = first;
  for (let progress = begun; ; ) {
    const maxBytes = Math.min(limits.partBytes, limits.bytes - progress.bytes);
    const part = await orEnd(read({ after: next, limit: limit - progress.items, maxBytes }));
    if (part === "end") break;
    const separator = progress.items > 0 && part.items.length > 0 ? "," : "";
    yield Buffer.from(`${separator}${part.items.join(",")}`);
    progress = advance(progress, part);
    next = part.next;
    if (isComplete(progress, part, limit, limits)) break;
  }
  yield Buffer.from(pageEnd(next));
}

/** A page may end anywhere: where the store has no time for another part, the client asks again. */
async function orEnd(part: Promise<ListPage>): Promise<ListPage | "end"> {
  try {
    return await part;
  } catch (error) {
    if (error instanceof QueryQueueFullError || error instanceof QueryTimeoutError) return "end";
    throw error;
  }
}

function advance({ items, bytes }: Progress, part: ListPage): Progress {
  return {
    items: items + part.items.length,
    bytes: part.items.reduce((sum, item) => sum + Buffer.byteLength(item), bytes),
  };
}

function isComplete(
  { items, bytes }: Progress,
  { next }: ListPage,
  limit: number,
  limits: PageLimits,
): boolean {
  return next === null || items >= limit || bytes >= limits.bytes;
}

/** The items are JSON already. */
function pageHead({ items }: ListPage): string {
  return `{"items":[${items.join(",")}`;
}

function pageEnd(next: ListPosition | null): string {
  return `],"next_cursor":${next === null ? "null" : `"${encodeCursor(next)}"`}}`;
}

/** What is listed; a cursor of one list means nothing in the other. */
export type ListKind = "traces" | "spans";

/** Letters before the position, so that a later format can be told from this one. */
const PREFIX: Record<ListKind, string> = { traces: "t2", spans: "s2" };

/** A position as clients carry it from page to page: opaque, safe in a URL. */
export function encodeCursor(position: ListPosition): string {
  const { start, startNanos, traceId, spanId } = position;
  const parts =
    spanId === null
      ? [PREFIX.traces, start, startNanos, traceId]
      : [PREFIX.spans, start, startNanos, traceId, spanId];
  return Buffer.from(parts.join(".")).toString("base64url");
}

/** The position in a cursor of this list; undefined when it is no such cursor. */
export function decodeCursor(kind: ListKind, cursor: string): ListPosition | undefined {
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  const [prefix, digits = "", nanos = "", traceId = "", spanId = "", ...rest] = text.split(".");
  const start = Number(digits);
  const startNanos = Number(nanos);
  const valid =
    prefix === PREFIX[kind] &&
    /^-?\d+$/.test(digits) &&
    Number.isSafeInteger(start) &&
    /^\d{1,3}$/.test(nanos) &&
    parseTraceId(traceId) === traceId &&
    (kind === "spans" ? parseSpanId(spanId) === spanId : spanId === "") &&
    rest.length === 0;
  if (!valid) return undefined;
  const position = { start, startNanos, traceId, spanId: kind === "spans" ? spanId : null };
  // Base64 has several spellings of one text; only ours is a cursor.
  return encodeCursor(position) === cursor ? position : undefined;
}
