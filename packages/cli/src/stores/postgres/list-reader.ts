import { AFTER_LISTED_TOTAL } from "@agate/spans/tree";
import { isAssembledEntry } from "../segments/segment.ts";
import type { ListPage, ListRequest } from "../span-query.ts";
import { planSearch } from "./find-spans.ts";
import { addAfter, spansToList, whereFilter } from "./list-sql.ts";
import { readSegments, segmentKey } from "./read-segments.ts";
import type { SpanDatabase } from "./span-database.ts";
import { totalsOfTraces } from "./trace-totals.ts";

const EMPTY_PAGE: ListPage = { items: [], next: null };

interface TraceRow {
  readonly trace_no: number;
  readonly day: number;
  readonly segment: number;
  readonly trace_id: string;
  readonly start: number;
  readonly top_offset: number;
  readonly top_length: number;
  readonly total: string;
}

interface SpanRow {
  readonly trace_no: number;
  readonly day: number;
  readonly segment: number;
  readonly span_id: string;
  readonly trace_id: string;
  readonly start: number;
  readonly segments: number;
}

/** A page of traces, as their tops. */
export async function listTraces(database: SpanDatabase, request: ListRequest): Promise<ListPage> {
  const { project, filter, limit, after } = request;
  const search = await planSearch(database, filter.text);
  if (search === undefined) return EMPTY_PAGE;
  const where = whereFilter("t", project, filter, search);
  addAfter(where, "t", after);
  const most = where.value(limit + 1);
  const rows = await database.query<TraceRow>(
    `SELECT t.trace_no, t.day, t.top_segment AS segment, t.trace_id, t.start, t.top_offset,
       t.top_length, t.total
     FROM agate.traces t WHERE ${where.text}
     ORDER BY t.start DESC, t.trace_id DESC LIMIT ${most}`,
    where.values,
  );
  const shown = rows.slice(0, limit);
  const segments = await readSegments(database, shown);
  const items = shown.map((row) => {
    const body = segments.get(segmentKey(row))?.body;
    // Deleted between the two statements.
    if (body === undefined) return undefined;
    const open = body.toString("utf8", row.top_offset, row.top_offset + row.top_length);
    return `${open}${row.total}${AFTER_LISTED_TOTAL}`;
  });
  const last = shown.at(-1);
  return {
    items: items.filter((item) => item !== undefined),
    next:
      rows.length > limit && last !== undefined
        ? { start: last.start, traceId: last.trace_id, spanId: null }
        : null,
  };
}

/** A page of spans. */
export async function listSpans(database: SpanDatabase, request: ListRequest): Promise<ListPage> {
  const { project, filter, limit, after } = request;
  const search = await planSearch(database, filter.text);
  if (search === undefined) return EMPTY_PAGE;
  const where = whereFilter("p", project, filter, search);
  addAfter(where, "p", after);
  const most = where.value(limit + 1);
  const rows = await database.query<SpanRow>(
    `SELECT p.trace_no, p.day, p.segment, p.span_id, p.start, t.trace_id, t.segments
     FROM ${spansToList(where, search)} p JOIN agate.traces t ON t.trace_no = p.trace_no
     WHERE ${where.text}
     ORDER BY p.start DESC, p.span_id DESC, t.trace_id DESC LIMIT ${most}`,
    where.values,
  );
  const shown = rows.slice(0, limit);
  const segments = await readSegments(database, shown);
  const unassembled = shown.filter((row) => {
    const entry = segments.get(segmentKey(row))?.entry(row.span_id);
    return row.segments > 1 || (entry !== undefined && !isAssembledEntry(entry));
  });
  const totals = await totalsOfTraces(database, unassembled);
  const items = shown.map((row) => {
    const segment = segments.get(segmentKey(row));
    const entry = segment?.entry(row.span_id);
    // Deleted between the two statements.
    if (segment === undefined || entry === undefined) return undefined;
    const end = entry.offset + entry.openLength;
    const total =
      totals.get(row.trace_no)?.(row.span_id) ??
      segment.body.toString("latin1", end, end + entry.totalLength);
    return `${segment.body.toString("utf8", entry.offset, end)}${total}${AFTER_LISTED_TOTAL}`;
  });
  const last = shown.at(-1);
  return {
    items: items.filter((item) => item !== undefined),
    next:
      rows.length > limit && last !== undefined
        ? { start: last.start, traceId: last.trace_id, spanId: last.span_id }
        : null,
  };
}
