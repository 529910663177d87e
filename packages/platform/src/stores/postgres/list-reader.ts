import { parseSearch } from "@agate/spans/search";
import { AFTER_LISTED_TOTAL } from "@agate/spans/tree";
import { ListPageBuilder, listedBytes } from "../list-page.ts";
import { SpanMatcher } from "../search/span-matcher.ts";
import {
  DamagedSegmentError,
  isAssembledEntry,
  openRecordText,
  spanIdIn,
} from "../segments/segment.ts";
import type { SpanAdditions } from "../span-additions.ts";
import type { ListPage, ListPosition, ListRequest } from "../span-query.ts";
import type { ListedTable } from "./filter-sql.ts";
import {
  addAfter,
  spansToList,
  spansWithMatches,
  tracesWithMatches,
  whereSpans,
  whereTraces,
} from "./filter-sql.ts";
import { ListedScores } from "./listed-scores.ts";
import { planSpans, planTraces, queriesOfFirst } from "./plan-search.ts";
import { isMissingDay } from "./postgres-errors.ts";
import type { ReadSegment } from "./read-segments.ts";
import { mergeHeaders, segmentsInOrder } from "./read-segments.ts";
import type { ListPart, ZonedList } from "./rows-by-zone.ts";
import { addPart, isByZones, rowsByZone, spansInZones, tracesInZones } from "./rows-by-zone.ts";
import type { SpanSearch, TraceSearch } from "./search-plan.ts";
import type { QueryRunner, SqlRunner } from "./span-database.ts";
import type { SearchQuery } from "./word-lists.ts";

/** Spans that are looked at before the index is asked which match: most searches find enough in them. */
const FIRST_READ = 400;
/** And then at a time. */
const NEXT_READ = 2_000;
/** After this many a page of a search ends, and the next goes on behind it. */
const MOST_READ = 10_000;

/** Traces that are looked at before the index is asked which match. */
const FIRST_TRACES = 100;
/** Where one in so many of them has what is searched for, the list is read on in its order. */
const COMMON = 8;

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

/** A trace, and whether it has all that is searched for. */
interface LookedAtTrace extends TraceRow {
  readonly may_match: boolean;
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
  /** Of a search among many: false where the index knows that the span has not all that is searched for. */
  readonly may_match?: boolean;
}

/** A page of traces, as their tops. */
export async function listTraces(runner: QueryRunner, request: ListRequest): Promise<ListPage> {
  const { project, filter, limit, content, maxBytes } = request;
  const rows = isByZones("t", filter)
    ? await rowsByZone(runner, zonedList("t", request), limit + 1, (runs, part, most) =>
        traceRows(runs, request, [], part, most),
      )
    : await foundTraces(runner, request, limit + 1);
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

/**
 * The first traces of a list, in its order. Of a search, a few are looked at before it is planned: the most common words
 * take longest to count, and are found at once.
 */
async function foundTraces(
  runner: QueryRunner,
  request: ListRequest,
  most: number,
): Promise<readonly TraceRow[]> {
  const { project, filter } = request;
  const queries = queriesOfFirst(filter);
  if (queries === undefined) {
    const search = await planTraces(runner, project, filter.text);
    return search === undefined ? [] : traceRows(runner, request, search, null, most);
  }
  // Over one snapshot: a trace whose start moves in between would be found twice, or not at all.
  return runner.snapshot(async (snapshot) => {
    const found: TraceRow[] = [];
    let after = request.after;
    for (let look = FIRST_TRACES; ; ) {
      const traces = await lookAtTraces(snapshot, { ...request, after }, queries, look);
      const matching = traces.filter(({ may_match }) => may_match);
      found.push(...matching);
      const last = traces[look - 1];
      if (found.length >= most || last === undefined) return found.slice(0, most);
      after = positionOf(last);
      if (matching.length * COMMON < look) break;
      // As many as fill the page if these are like the last ones.
      look = Math.ceil(((most - found.length) * look) / matching.length);
    }
    const search = (await planTraces(snapshot, project, filter.text)) ?? [];
    const rest = { ...request, after };
    return [...found, ...(await traceRows(snapshot, rest, search, null, most - found.length))];
  });
}

function lookAtTraces(
  runner: SqlRunner,
  { project, filter, after }: ListRequest,
  queries: readonly SearchQuery[],
  most: number,
): Promise<LookedAtTrace[]> {
  const where = whereTraces(project, filter, []);
  addAfter(where, "t", after);
  const list = `SELECT ${TRACE_COLUMNS} FROM agate.traces t WHERE ${where.text}
    ORDER BY ${TRACES_IN_ORDER} LIMIT ${where.value(most)}`;
  return runner.query<LookedAtTrace>(
    `${tracesWithMatches(where, list, queries)} ORDER BY ${TRACES_IN_ORDER}`,
    where.values,
  );
}

const TRACE_COLUMNS = `t.trace_no, t.day, t.top_segment AS segment, t.trace_id, t.start, t.start_nanos, t.top_offset,
  t.top_length, t.total`;
const TRACES_IN_ORDER = "t.start DESC, t.start_nanos DESC, t.trace_id DESC";

/** @param part Null for all of the list. */
function traceRows(
  runner: SqlRunner,
  { project, filter, after }: ListRequest,
  search: readonly TraceSearch[],
  part: ListPart | null,
  most: number,
): Promise<TraceRow[]> {
  const where = whereTraces(project, filter, search);
  addAfter(where, "t", after);
  const zones = addPart(where, "t", part);
  // A zone that is not cut off from others may share traces with them.
  return runner.query<TraceRow>(
    `SELECT ${zones === undefined ? "" : "DISTINCT "}${TRACE_COLUMNS}
     FROM ${zones === undefined ? "agate.traces t" : tracesInZones(where, zones)} WHERE ${where.text}
     ORDER BY ${TRACES_IN_ORDER} LIMIT ${where.value(most)}`,
    where.values,
  );
}

/** A page of spans. */
export async function listSpans(runner: QueryRunner, request: ListRequest): Promise<ListPage> {
  const { project, filter, limit, after } = request;
  if (filter.text !== undefined) return searchSpans(runner, request);
  const search = (await planSpans(runner, project, filter)) ?? null;
  const rows =
    search === null && isByZones("p", filter)
      ? await rowsByZone(runner, zonedList("p", request), limit + 1, (runs, part, most) =>
          spanRows(runs, request, null, after, most, part),
        )
      : await spanRows(runner, request, search, after, limit + 1);
  const page = new SpanPage(runner, request);
  const isFull = (await page.add(rows.slice(0, limit))) === "full";
  return page.finish(isFull || rows.length > limit);
}

/** A page of the spans that have what is searched for, as their records say. */
async function searchSpans(runner: QueryRunner, request: ListRequest): Promise<ListPage> {
  const { project, filter } = request;
  const page = new SpanPage(runner, request);
  let position = request.after;
  /** @returns The page, where it ends with these spans. */
  const lookAt = async (search: SpanSearch | null, most: number): Promise<ListPage | undefined> => {
    const rows = await spanRows(runner, request, search, position, most + 1);
    if ((await page.add(rows.slice(0, most))) === "full") return page.finish(true);
    const last = rows[most - 1];
    if (last === undefined || rows.length <= most) return page.finish(false);
    position = positionOf(last);
    return undefined;
  };
  const queries = queriesOfFirst(filter);
  const inOrder: SpanSearch | undefined = queries && { kind: "many", queries };
  const first = inOrder && (await lookAt(inOrder, FIRST_READ));
  if (first !== undefined) return first;
  const isCommon = page.shown * COMMON >= FIRST_READ;
  const search = isCommon && inOrder ? inOrder : await planSpans(runner, project, filter);
  if (search === undefined) return page.finish(false);
  for (let read = inOrder ? FIRST_READ : 0; read < MOST_READ; ) {
    const most = Math.min(NEXT_READ, MOST_READ - read);
    const next = await lookAt(search, most);
    read += most;
    if (next !== undefined) return next;
  }
  // Whether a later span matches is left to the next page.
  return page.finish(true);
}

function spanRows(
  runner: SqlRunner,
  { project, filter }: ListRequest,
  search: SpanSearch | null,
  after: ListPosition | null,
  most: number,
  part: ListPart | null = null,
): Promise<SpanRow[]> {
  const where = whereSpans(project, filter);
  addAfter(where, "p", after);
  const zones = addPart(where, "p", part);
  const from = zones === undefined ? spansToList(where, search) : spansInZones(where, zones);
  const list = `SELECT ${zones === undefined ? "" : "DISTINCT "}p.trace_no, p.day, p.segment, p.span_id, p.start,
       p.start_nanos, t.trace_id, t.segments
     FROM ${from}
     WHERE ${where.text}
     ORDER BY ${spansInOrder("p", "t")} LIMIT ${where.value(most)}`;
  return runner.query<SpanRow>(
    search?.kind === "many"
      ? `${spansWithMatches(where, list, search.queries)} ORDER BY ${spansInOrder("l", "l")}`
      : list,
    where.values,
  );
}

function spansInOrder(span: string, trace: string): string {
  return `${span}.start DESC, ${span}.start_nanos DESC, ${span}.span_id DESC, ${trace}.trace_id DESC`;
}

function zonedList(table: ListedTable, { project, filter, after }: ListRequest): ZonedList {
  const last = Math.min(
    after?.start ?? Number.MAX_SAFE_INTEGER,
    filter.startedBefore ?? Number.MAX_SAFE_INTEGER,
  );
  return { table, project, filter, last };
}

interface Placed {
  readonly start: number;
  readonly start_nanos: number;
  readonly trace_id: string;
  readonly span_id?: string;
}

function positionOf({ start, start_nanos, trace_id, span_id }: Placed): ListPosition {
  return { start, startNanos: start_nanos, traceId: trace_id, spanId: span_id ?? null };
}

/** Collects spans, of a search those that match it. */
class SpanPage {
  readonly #runner: SqlRunner;
  readonly #request: ListRequest;
  readonly #matcher: SpanMatcher | null;
  readonly #totals: TraceTotals;
  readonly #page: ListPageBuilder;
  #shown = 0;

  constructor(runner: SqlRunner, request: ListRequest) {
    const { text } = request.filter;
    this.#runner = runner;
    this.#request = request;
    this.#matcher = text === undefined ? null : new SpanMatcher(parseSearch(text));
    this.#totals = new TraceTotals(runner);
    this.#page = new ListPageBuilder(request.maxBytes);
  }

  /** Adds rows, which follow those that were added before. @returns "full" when one that belongs to it has no room. */
  async add(rows: readonly SpanRow[]): Promise<"full" | "has-room"> {
    const wanted = rows.filter(({ may_match }) => may_match !== false);
    const scores = await ListedScores.ofSpans(this.#runner, this.#request.project, wanted);
    for await (const { row, segment } of segmentsInOrder(this.#runner, wanted)) {
      let isFull = false;
      await skipIfDamaged(this.#page, positionOf(row), async () => {
        const added = await scores.of(row.trace_id, row.span_id);
        isFull = (await this.#addOne(row, segment, added)) === "full";
      });
      if (isFull) return "full";
    }
    const last = rows.at(-1);
    if (last?.may_match === false) this.#page.skip(positionOf(last));
    return "has-room";
  }

  /** How many spans are on the page. */
  get shown(): number {
    return this.#shown;
  }

  finish(hasMore: boolean): ListPage {
    return this.#page.finish(hasMore);
  }

  async #addOne(
    row: SpanRow,
    segment: ReadSegment | undefined,
    added: SpanAdditions,
  ): Promise<"full" | "has-room"> {
    const { content, limit } = this.#request;
    const page = this.#page;
    const entry = segment?.entry(row.span_id);
    if (this.#matcher !== null) {
      const body = entry && (await segment?.body());
      const open = body && openRecordText(body, entry.offset, entry.openLength);
      if (open === undefined || !this.#matcher.matches(added.listed(open, "null"))) {
        page.skip(positionOf(row));
        return "has-room";
      }
      if (this.#shown === limit) return "full";
    }
    const isAtHand = row.segments === 1 && (entry === undefined || isAssembledEntry(entry));
    const known = isAtHand ? undefined : await this.#totals.of(row, row.span_id);
    const totalLength = known?.length ?? entry?.totalLength ?? 0;
    const around = AFTER_LISTED_TOTAL.length + added.bytes;
    const bytes = (entry?.openLength ?? 0) + totalLength + around;
    if (content !== "preview" && !page.fits(bytes)) return "full";
    const body = entry && (await segment?.body());
    if (entry === undefined || body === undefined) {
      // Deleted between the two statements.
      page.skip(positionOf(row));
      return "has-room";
    }
    const end = entry.offset + entry.openLength;
    const total = known ?? body.toString("latin1", end, end + entry.totalLength);
    const open = openRecordText(body, entry.offset, entry.openLength);
    const item = added.listed(open, total, content);
    if (!page.addIfFits(positionOf(row), item, listedBytes(content, item, bytes))) return "full";
    this.#shown++;
    return "has-room";
  }
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
