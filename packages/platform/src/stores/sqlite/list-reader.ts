import type { DatabaseSync } from "node:sqlite";
import { parseSearch } from "@agate/spans/search";
import { AFTER_LISTED_TOTAL } from "@agate/spans/tree";
import { ListPageBuilder, listedBytes } from "../list-page.ts";
import { SpanMatcher } from "../search/span-matcher.ts";
import { DamagedSegmentError, openRecordText, plainBody, spanIdIn } from "../segments/segment.ts";
import type { ListPage, ListPosition, ListRequest } from "../span-query.ts";
import type { IsRare, Where } from "./filter-sql.ts";
import { HAS_TERM, whereAfter, whereFilter } from "./filter-sql.ts";
import type { MatchTerm } from "./match-terms.ts";
import type { ListPart } from "./rows-by-zone.ts";
import { partSql, rowsByZone } from "./rows-by-zone.ts";
import { ScoreReader } from "./score-table.ts";
import type { SpanRow } from "./span-records.ts";
import { memoise, spanRecords } from "./span-records.ts";
import { SEGMENTS_PER_TRACE, segmentOf } from "./span-schema.ts";
import type { ListedTable, Sql } from "./sql.ts";
import { isDamage } from "./sqlite-errors.ts";
import type { TracePhrases } from "./trace-phrases.ts";

/** Spans whose records are read for one page of a search: the page ends there, and the next goes on behind it. */
const MOST_READ = 10_000;

/** Traces of which the records are read for one page of a search for phrases, likewise. */
const MOST_READ_TRACES = 1_000;
/**
 * Bytes of such records. A thousand traces may have any number: the page would not be there before its deadline, and
 * without a cursor the same search would fail again. A page reads one trace at least, however large.
 */
const MOST_READ_BYTES = 64 * 1024 ** 2;

/**
 * Rows of a list that are asked for common terms one by one. Where these do not fill a page, the others are looked for
 * that have all terms.
 */
const MOST_WALKED_TRACES = 2_000;
const MOST_WALKED_SPANS = 4_000;

const EMPTY_PAGE: ListPage = { items: [], next: null };

interface TraceRow {
  readonly trace_no: number;
  readonly trace_id: string;
  readonly start: number;
  readonly start_nanos: number;
  readonly segment: number;
  readonly top_offset: number;
  readonly top_length: number;
  readonly total: string;
}

interface SegmentRow {
  readonly header: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

interface ListReaderParts {
  readonly isRare: IsRare;
  readonly phrases: TracePhrases;
  /** Called often: throws where the query is to stop. */
  readonly check: () => void;
}

/** Pages of lists. Every method must run inside a transaction, so that a record lies where its row says. */
export class ListReader {
  readonly #db: DatabaseSync;
  readonly #scores: ScoreReader;
  readonly #isRare: IsRare;
  readonly #phrases: TracePhrases;
  readonly #check: () => void;

  constructor(db: DatabaseSync, { isRare, phrases, check }: ListReaderParts) {
    this.#db = db;
    this.#scores = new ScoreReader(db);
    this.#isRare = isRare;
    this.#phrases = phrases;
    this.#check = check;
  }

  /** A page of traces, as their tops. */
  traces({ project, filter, limit, content, maxBytes, after }: ListRequest): ListPage {
    const where = whereFilter("t", project, filter, this.#isRare);
    if (where === undefined) return EMPTY_PAGE;
    const { phrases } = where;
    const hasPhrases = this.#phrases.all(phrases);
    const most = phrases.length === 0 ? limit : MOST_READ_TRACES;
    const lastByte = this.#phrases.bytesRead + MOST_READ_BYTES;
    const readSegment = this.#db.prepare("SELECT header, body FROM segments WHERE segment = ?");
    const page = new ListPageBuilder(maxBytes);
    let rows = 0;
    let shown = 0;
    let hasMore = false;
    for (const each of this.#tracesWithWords(where, after, most + 1)) {
      const { trace_no, trace_id, segment, top_offset, top_length, total } = each;
      const bytes = top_length + total.length + AFTER_LISTED_TOTAL.length;
      this.#check();
      const position = positionOf(each);
      let isFound = true;
      skipIfDamaged(page, position, () => {
        hasMore = rows++ === most || this.#phrases.bytesRead >= lastByte;
        if (hasMore) return;
        isFound = hasPhrases(trace_no);
        if (!isFound) return page.skip(position);
        hasMore = shown >= limit || (content !== "preview" && !page.fits(bytes));
        if (hasMore) return;
        const row = readSegment.get(segment) as SegmentRow | undefined;
        // In one snapshot, an existing trace has its top.
        if (row === undefined) throw new DamagedSegmentError(trace_id);
        const body = plainBody(row.header, row.body, trace_id);
        const open = openRecordText(body, top_offset, top_length);
        const added = this.#scores.ofListed(project, trace_id, spanIdIn(open), true);
        const item = added.listed(open, total, content);
        hasMore = !page.addIfFits(position, item, listedBytes(content, item, bytes + added.bytes));
      });
      if (hasMore) break;
      if (isFound) shown++;
    }
    return page.finish(hasMore);
  }

  /** Without the records: how many of them a page holds depends on their lengths. */
  #traceRows(where: Where, after: ListPosition | null, most: number): Iterable<TraceRow> {
    const beyond = whereAfter("t", after);
    return this.#inOrder("t", where, after, most, (conditions, part) => {
      const { from, where: inPart } = partSql("t", part);
      return this.#db
        .prepare(
          `SELECT t.trace_no, t.trace_id, t.start, t.start_nanos,
             t.trace_no * ${SEGMENTS_PER_TRACE} + t.top_segment AS segment, t.top_offset, t.top_length, t.total
           FROM ${from.text} WHERE ${conditions.text} AND ${beyond.text} AND ${inPart.text}
           ORDER BY t.start DESC, t.start_nanos DESC, t.trace_id DESC LIMIT ?`,
        )
        .iterate(
          ...[from, conditions, beyond, inPart].flatMap(({ values }) => values),
          most,
        ) as Iterable<unknown> as Iterable<TraceRow>;
    });
  }

  /**
   * The traces of a list that have all terms, or the words of the phrases among them. The first rows are asked for
   * common terms one by one; the traces behind them are found by all terms, so that none is read twice.
   */
  *#tracesWithWords(where: Where, after: ListPosition | null, most: number): Iterable<TraceRow> {
    const { walk } = where;
    if (walk === undefined) return yield* this.#traceRows(where, after, most);
    const hasAll = this.#termsOf(walk.terms);
    let walked = 0;
    let last = after;
    for (const row of this.#traceRows(walk.where, after, MOST_WALKED_TRACES)) {
      walked++;
      last = positionOf(row);
      if (hasAll(row.trace_no)) yield row;
    }
    if (walked === MOST_WALKED_TRACES) yield* this.#traceRows(where, last, most);
  }

  /** Whether a trace has all terms. */
  #termsOf(terms: readonly MatchTerm[]): (traceNo: number) => boolean {
    const has = this.#db.prepare(`SELECT ${HAS_TERM} AS has`);
    return memoise((traceNo: number) =>
      terms.every(({ words, phrase }) => {
        this.#check();
        return (has.get(traceNo, words, phrase) as { has: 0 | 1 }).has === 1;
      }),
    );
  }

  spans(request: ListRequest): ListPage {
    const { project, filter, limit, after } = request;
    const where = whereFilter("p", project, filter, this.#isRare);
    if (where === undefined) return EMPTY_PAGE;
    if (filter.text === undefined) {
      return this.#spanPage(request, null, this.#spanRows(where, after, limit + 1)).page;
    }
    const matcher = new SpanMatcher(parseSearch(filter.text));
    if (where.walk !== undefined) {
      const walk = { isWhole: true };
      const { page, isFull } = this.#spanPage(
        request,
        matcher,
        this.#walkSpans(where.walk, after, walk),
      );
      if (isFull || walk.isWhole) return page;
    }
    return this.#spanPage(request, matcher, this.#spanRows(where, after, MOST_READ + 1)).page;
  }

  #spanRows(where: Where, after: ListPosition | null, most: number): Iterable<SpanRow> {
    const beyond = whereAfter("p", after);
    return this.#inOrder("p", where, after, most, (conditions, part) => {
      const { from, where: inPart } = partSql("p", part);
      return this.#db
        .prepare(
          `SELECT p.span_id, p.start, p.start_nanos, ${segmentOf("p")} AS segment, t.trace_no, t.trace_id, t.segments
           FROM ${from.text} CROSS JOIN traces t USING (trace_no)
           WHERE ${conditions.text} AND ${beyond.text} AND ${inPart.text}
           ORDER BY p.start DESC, p.start_nanos DESC, p.span_id DESC, t.trace_id DESC LIMIT ?`,
        )
        .iterate(
          ...[from, conditions, beyond, inPart].flatMap(({ values }) => values),
          most,
        ) as Iterable<unknown> as Iterable<SpanRow>;
    });
  }

  /** The first rows of a list, by zones where these help to find them. @param read Reads rows of a part of it. */
  *#inOrder<Row>(
    table: ListedTable,
    { zones, ...where }: Where,
    after: ListPosition | null,
    most: number,
    read: (conditions: Sql, part: ListPart) => Iterable<Row>,
  ): Iterable<Row> {
    if (zones === undefined || this.#db.prepare("SELECT 1 FROM unzoned").get() !== undefined) {
      return yield* read(where, {});
    }
    const list = { ...zones, table, last: after?.start ?? zones.last };
    const rows = rowsByZone(this.#db, list, (part) =>
      read(part.zones === undefined ? where : zones.where, part),
    );
    let given = 0;
    for (const row of rows) {
      yield row;
      if (++given === most) return;
    }
  }

  /** The first spans of a list whose traces have common terms. @param result Told whether these are all. */
  *#walkSpans(
    { where, terms }: NonNullable<Where["walk"]>,
    after: ListPosition | null,
    result: { isWhole: boolean },
  ): Iterable<SpanRow> {
    const hasAll = this.#termsOf(terms);
    let walked = 0;
    for (const row of this.#spanRows(where, after, MOST_WALKED_SPANS)) {
      walked++;
      if (hasAll(row.trace_no)) yield row;
    }
    result.isWhole = walked < MOST_WALKED_SPANS;
  }

  /** @param matcher Of a search: whether a span has all terms is told by its record. */
  #spanPage(
    { project, limit, content, maxBytes }: ListRequest,
    matcher: SpanMatcher | null,
    rows: Iterable<SpanRow>,
  ): { readonly page: ListPage; readonly isFull: boolean } {
    const find = spanRecords(this.#db, this.#check);
    const page = new ListPageBuilder(maxBytes);
    let shown = 0;
    let read = 0;
    let hasMore = false;
    for (const row of rows) {
      // All that a page may read is read: whether a later span matches is left to the next page.
      hasMore = matcher === null ? shown >= limit : read === MOST_READ;
      if (hasMore) break;
      this.#check();
      const position = {
        start: row.start,
        startNanos: row.start_nanos,
        traceId: row.trace_id,
        spanId: row.span_id,
      };
      let isFound = true;
      read++;
      skipIfDamaged(page, position, () => {
        const record = find(row);
        const added = this.#scores.ofListed(project, row.trace_id, row.span_id, false);
        isFound = matcher === null || matcher.matches(record.read(added, undefined));
        if (!isFound) return page.skip(position);
        const all = record.bytes + added.bytes;
        hasMore = shown >= limit || (content !== "preview" && !page.fits(all));
        if (hasMore) return;
        const item = record.read(added, content);
        hasMore = !page.addIfFits(position, item, listedBytes(content, item, all));
      });
      if (hasMore) break;
      if (isFound) shown++;
    }
    return { page: page.finish(hasMore), isFull: hasMore };
  }
}

function positionOf({ start, start_nanos, trace_id }: TraceRow): ListPosition {
  return { start, startNanos: start_nanos, traceId: trace_id, spanId: null };
}

/** Adds a record to a page, or skips it if it is damaged. */
function skipIfDamaged(page: ListPageBuilder, position: ListPosition, add: () => void): void {
  try {
    add();
  } catch (error) {
    if (!isDamage(error)) throw error;
    page.skipDamaged(position);
  }
}
