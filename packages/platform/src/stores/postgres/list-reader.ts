import { AFTER_LISTED_TOTAL } from "@agate/spans/tree";
import { ListPageBuilder, listedBytes } from "../list-page.ts";
import {
  DamagedSegmentError,
  isAssembledEntry,
  openRecordText,
  spanIdIn,
} from "../segments/segment.ts";
import type { ListPage, ListPosition, ListRequest } from "../span-query.ts";
import { addAfter, planSearch, planSpans, spansToList, whereFilter } from "./filter-sql.ts";
import { ListedScores } from "./listed-scores.ts";
import { isMissingDay } from "./postgres-errors.ts";
import { mergeHeaders, segmentsInOrder } from "./read-segments.ts";
import type { SqlRunner } from "./span-database.ts";

const EMPTY_PAGE: ListPage = { items: [], next: null };

interface TraceRow {
  readonly trace_no: number;
  readonly day: number;
  readonly segment: number;
  readonly trace_id: string;
  readonly start: number;
  readonly start_nanos: number;
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
  readonly start_nanos: number;
  readonly segments: number;
}

/** A page of traces, as their tops. */
export async function listTraces(runner: SqlRunner, request: ListRequest): Promise<ListPage> {
  const { project, filter, limit, content, maxBytes, after } = request;
  const search = await planSearch(runner, filter.text);
  if (search === undefined) return EMPTY_PAGE;
  const where = whereFilter("t", project, filter, search);
  addAfter(where, "t", after);
  const most = where.value(limit + 1);
  const rows = await runner.query<TraceRow>(
    `SELECT t.trace_no, t.day, t.top_segment AS segment, t.trace_id, t.start, t.start_nanos, t.top_offset,
       t.top_length, t.total
     FROM agate.traces t WHERE ${where.text}
     ORDER BY t.start DESC, t.start_nanos DESC, t.trace_id DESC LIMIT ${most}`,
    where.values,
  );
  const traceIds = rows.map(({ trace_id }) => trace_id);
  const scores = await ListedScores.ofTops(runner, project, traceIds);
  const page = new ListPageBuilder(maxBytes);
  let shown = 0;
  for await (const { row, segment } of segmentsInOrder(runner, rows.slice(0, limit))) {
    const { start, start_nanos, trace_id, top_offset, top_length, total } = row;
    const bytes = top_length + total.length + AFTER_LISTED_TOTAL.length;
    if (content !== "preview" && !page.fits(bytes)) break;
    let isFull = false;
    const position = { start, startNanos: start_nanos, traceId: trace_id, spanId: null };
    await skipIfDamaged(page, position, async () => {
      const body = await segment?.body();
      // Deleted between the two statements.
      if (body === undefined) return page.skip(position);
      const open = openRecordText(body, top_offset, top_length);
      const added = await scores.of(trace_id, spanIdIn(open));
      const item = added.listed(open, total, content);
      isFull = !page.addIfFits(position, item, listedBytes(content, item, bytes + added.bytes));
    });
    if (isFull) break;
    shown++;
  }
  return page.finish(shown < rows.length);
}

/** A page of spans. */
export async function listSpans(runner: SqlRunner, request: ListRequest): Promise<ListPage> {
  const { project, filter, limit, content, maxBytes, after } = request;
  const search = await planSpans(runner, project, filter);
  if (search === undefined) return EMPTY_PAGE;
  const where = whereFilter("p", project, filter, [search]);
  addAfter(where, "p", after);
  const most = where.value(limit + 1);
  const rows = await runner.query<SpanRow>(
    `SELECT p.trace_no, p.day, p.segment, p.span_id, p.start, p.start_nanos, t.trace_id, t.segments
     FROM ${spansToList(where, search)} p JOIN agate.traces t ON t.trace_no = p.trace_no
     WHERE ${where.text}
     ORDER BY p.start DESC, p.start_nanos DESC, p.span_id DESC, t.trace_id DESC LIMIT ${most}`,
    where.values,
  );
  const totals = new TraceTotals(runner);
  const scores = await ListedScores.ofSpans(runner, project, rows);
  const page = new ListPageBuilder(maxBytes);
  let shown = 0;
  for await (const { row, segment } of segmentsInOrder(runner, rows.slice(0, limit))) {
    const position = {
      start: row.start,
      startNanos: row.start_nanos,
      traceId: row.trace_id,
      spanId: row.span_id,
    };
    let isFull = false;
    await skipIfDamaged(page, position, async () => {
      const entry = segment?.entry(row.span_id);
      const isAtHand = row.segments === 1 && (entry === undefined || isAssembledEntry(entry));
      const known = isAtHand ? undefined : await totals.of(row, row.span_id);
      const totalLength = known?.length ?? entry?.totalLength ?? 0;
      const added = await scores.of(row.trace_id, row.span_id);
      const around = AFTER_LISTED_TOTAL.length + added.bytes;
      const bytes = (entry?.openLength ?? 0) + totalLength + around;
      isFull = content !== "preview" && !page.fits(bytes);
      if (isFull) return;
      const body = entry && (await segment?.body());
      // Deleted between the two statements.
      if (entry === undefined || body === undefined) return page.skip(position);
      const end = entry.offset + entry.openLength;
      const total = known ?? body.toString("latin1", end, end + entry.totalLength);
      const open = openRecordText(body, entry.offset, entry.openLength);
      const item = added.listed(open, total, content);
      isFull = !page.addIfFits(position, item, listedBytes(content, item, bytes));
    });
    if (isFull) break;
    shown++;
  }
  return page.finish(shown < rows.length);
}

/** Adds a record to a page, or notes that it could not be read. */
async function skipIfDamaged(
  page: ListPageBuilder,
  position: ListPosition,
  add: () => Promise<void>,
): Promise<void> {
  try {
    await add();
  } catch (error) {
    if (!(error instanceof DamagedSegmentError)) throw error;
    page.skipDamaged(position);
  }
}

interface TracePlace {
  readonly trace_no: number;
  readonly day: number;
}

type TotalOf = (spanId: string) => string;

/** The totals of spans of a page, from the trees of their traces, which are read one at a time. */
class TraceTotals {
  readonly #runner: SqlRunner;
  /** By the trace's number; null where the trace is gone. */
  readonly #totals = new Map<number, TotalOf | null>();

  constructor(runner: SqlRunner) {
    this.#runner = runner;
  }

  /** The total of a span's subtree; undefined where its trace was deleted meanwhile. */
  async of(trace: TracePlace, spanId: string): Promise<string | undefined> {
    let total = this.#totals.get(trace.trace_no);
    if (total === undefined) {
      total = await this.#read(trace);
      this.#totals.set(trace.trace_no, total);
    }
    return total?.(spanId);
  }

  async #read({ trace_no, day }: TracePlace): Promise<TotalOf | null> {
    const merger = await this.#merge(day, trace_no);
    return merger?.totals() ?? null;
  }

  async #merge(day: number, traceNo: number) {
    try {
      return (await mergeHeaders(this.#runner, day, [traceNo])).get(traceNo);
    } catch (error) {
      if (isMissingDay(error)) return undefined;
      throw error;
    }
  }
}
