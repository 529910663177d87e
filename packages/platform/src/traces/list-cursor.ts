import type { ListPosition } from "../stores/span-query.ts";
import { parseSpanId, parseTraceId } from "./span-ids.ts";

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
