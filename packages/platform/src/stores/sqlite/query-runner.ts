import type { DatabaseSync } from "node:sqlite";
import { AFTER_LISTED_TOTAL } from "@agate/spans/tree";
import { ListPageBuilder, listedBytes } from "../list-page.ts";
import type { ScorePart } from "../score-parts.ts";
import type { ScoreFiguresRequest, ScoreFiguresResult } from "../score-query.ts";
import { NO_SCORES_FOUND } from "../score-query.ts";
import { parseSearch } from "../search/search-text.ts";
import { SpanMatcher } from "../search/span-matcher.ts";
import { DamagedSegmentError, openRecordText, plainBody, spanIdIn } from "../segments/segment.ts";
import type {
  AnalyticsRequest,
  AnalyticsResult,
  EarliestRequest,
  ListPage,
  ListPosition,
  ListRequest,
} from "../span-query.ts";
import type { ProjectCount } from "../span-store.ts";
import { NOTHING_FOUND } from "../summary/analytics-cells.ts";
import { openForReading } from "./data-directory.ts";
import type { IsRare, Where } from "./filter-sql.ts";
import { HAS_TERM, whereAfter, whereFilter } from "./filter-sql.ts";
import { QueryInterrupt } from "./query-interrupt.ts";
import type { ListPart } from "./rows-by-zone.ts";
import { partSql, rowsByZone } from "./rows-by-zone.ts";
import { earliestStart, registerCollectNumbers, runAnalytics } from "./run-analytics.ts";
import { runScoreFigures } from "./run-score-figures.ts";
import { ScoreExporter } from "./score-exporter.ts";
import { ScoreReader } from "./score-table.ts";
import type { ExportedParts } from "./span-exporter.ts";
import { SpanExporter } from "./span-exporter.ts";
import type { SpanRow } from "./span-records.ts";
import { memoise, spanRecords } from "./span-records.ts";
import { SEGMENTS_PER_TRACE, segmentOf } from "./span-schema.ts";
import type { ListedTable, Sql } from "./sql.ts";
import { isCorrupt } from "./sqlite-errors.ts";

/** This many rows are looked up and sorted in some tens of milliseconds. */
const RARE_MATCHES = 20_000;

/** Spans whose records are read for one page of a search: the page ends there, and the next goes on behind it. */
const MOST_READ = 10_000;

/** Rows of a list that are asked for common terms one by one. Where these do not fill a page, all are looked for. */
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

/** Lists, search and analytics: the reads that may take long, on a connection of their own. */
export class QueryRunner {
  readonly #db: DatabaseSync;
  readonly #exporter: SpanExporter;
  readonly #scoreExporter: ScoreExporter;
  readonly #interrupt: QueryInterrupt;
  readonly #scores: ScoreReader;

  /** @param interruptions See {@link interruptMemory}. */
  constructor(directory: string, interruptions: SharedArrayBuffer) {
    this.#db = openForReading(directory);
    this.#interrupt = new QueryInterrupt(this.#db, interruptions);
    this.#scores = new ScoreReader(this.#db);
    this.#exporter = new SpanExporter(this.#db);
    this.#scoreExporter = new ScoreExporter(this.#db);
    registerCollectNumbers(this.#db);
  }

  /** @param query Its number, by which it can be stopped: see {@link interrupt}. */
  listTraces(query: number, request: ListRequest): ListPage {
    return this.#atOneMoment(query, () => this.#listTraces(request));
  }

  listSpans(query: number, request: ListRequest): ListPage {
    return this.#atOneMoment(query, () => this.#listSpans(request));
  }

  analytics(query: number, request: AnalyticsRequest): AnalyticsResult {
    return this.#atOneMoment(query, () => this.#analytics(request));
  }

  scoreFigures(query: number, request: ScoreFiguresRequest): ScoreFiguresResult {
    return this.#atOneMoment(query, () => this.#scoreFigures(request));
  }

  earliestStart(query: number, request: EarliestRequest): number | null {
    return this.#atOneMoment(query, () => this.#earliestStart(request));
  }

  #listTraces({ project, filter, limit, content, maxBytes, after }: ListRequest): ListPage {
    const where = whereFilter("t", project, filter, this.#isRare);
    if (where === undefined) return EMPTY_PAGE;
    const rows = this.#walkTraces(where, after, limit) ?? [
      ...this.#traceRows(where, after, limit + 1),
    ];
    const readSegment = this.#db.prepare("SELECT header, body FROM segments WHERE segment = ?");
    const page = new ListPageBuilder(maxBytes);
    let shown = 0;
    for (const { trace_id, start, start_nanos, segment, top_offset, top_length, total } of rows) {
      const bytes = top_length + total.length + AFTER_LISTED_TOTAL.length;
      if (shown === limit || (content !== "preview" && !page.fits(bytes))) break;
      this.#interrupt.check();
      let isFull = false;
      const position = { start, startNanos: start_nanos, traceId: trace_id, spanId: null };
      skipIfDamaged(page, position, () => {
        const row = readSegment.get(segment) as SegmentRow | undefined;
        // In one snapshot, an existing trace has its top.
        if (row === undefined) throw new DamagedSegmentError(trace_id);
        const body = plainBody(row.header, row.body, trace_id);
        const open = openRecordText(body, top_offset, top_length);
        const added = this.#scores.ofListed(project, trace_id, spanIdIn(open), true);
        const item = added.listed(open, total, content);
        isFull = !page.addIfFits(position, item, listedBytes(content, item, bytes + added.bytes));
      });
      if (isFull) break;
      shown++;
    }
    return page.finish(shown < rows.length);
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

  /** The first traces of a list that have common terms, and one more; undefined where too many have to be asked. */
  #walkTraces({ walk }: Where, after: ListPosition | null, limit: number): TraceRow[] | undefined {
    if (walk === undefined) return undefined;
    const hasAll = this.#termsOf(walk.terms);
    const found: TraceRow[] = [];
    let walked = 0;
    for (const row of this.#traceRows(walk.where, after, MOST_WALKED_TRACES)) {
      walked++;
      if (hasAll(row.trace_no)) found.push(row);
      if (found.length > limit) return found;
    }
    return walked < MOST_WALKED_TRACES ? found : undefined;
  }

  /** Whether a trace has all terms. */
  #termsOf(terms: readonly string[]): (traceNo: number) => boolean {
    const has = this.#db.prepare(`SELECT ${HAS_TERM} AS has`);
    return memoise((traceNo: number) =>
      terms.every((term) => {
        this.#interrupt.check();
        return (has.get(traceNo, term) as { has: 0 | 1 }).has === 1;
      }),
    );
  }

  #listSpans(request: ListRequest): ListPage {
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
    const find = spanRecords(this.#db, () => this.#interrupt.check());
    const page = new ListPageBuilder(maxBytes);
    let shown = 0;
    let read = 0;
    let hasMore = false;
    for (const row of rows) {
      // All that a page may read is read: whether a later span matches is left to the next page.
      hasMore = matcher === null ? shown >= limit : read === MOST_READ;
      if (hasMore) break;
      this.#interrupt.check();
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

  #analytics(request: AnalyticsRequest): AnalyticsResult {
    const where = whereFilter("t", request.project, request.filter, this.#isRare);
    return where === undefined ? NOTHING_FOUND : runAnalytics(this.#db, request, where);
  }

  #scoreFigures(request: ScoreFiguresRequest): ScoreFiguresResult {
    const { project, filter } = request;
    const where = whereFilter("t", project, filter, this.#isRare);
    if (where === undefined) return NO_SCORES_FOUND;
    const scores = "SELECT 1 FROM scores WHERE project = ?";
    const areFew = this.#isRare({ text: scores, values: [project] });
    return runScoreFigures(this.#db, request, where, areFew);
  }

  #earliestStart({ project, filter }: EarliestRequest): number | null {
    const where = whereFilter("t", project, filter, this.#isRare);
    return where === undefined ? null : earliestStart(this.#db, where);
  }

  countSpans(): ProjectCount[] {
    const counts = this.#db.prepare(
      "SELECT project, count(*) AS traces, sum(spans) AS spans FROM traces GROUP BY project ORDER BY project",
    );
    return counts.all() as unknown as ProjectCount[];
  }

  countScores(): Map<string, number> {
    return this.#scoreExporter.count();
  }

  exportScores(after: string | null): ScorePart | null {
    return this.#scoreExporter.partAfter(after);
  }

  exportParts(after: string | null): ExportedParts {
    return this.#exporter.partsAfter(after);
  }

  readonly #isRare: IsRare = ({ text, values }, most = RARE_MATCHES) => {
    const { n } = this.#db
      .prepare(`SELECT count(*) AS n FROM (${text} LIMIT ?)`)
      .get(...values, most + 1) as { n: number };
    return n <= most;
  };

  close(): void {
    this.#db.close();
  }

  /** Runs in one transaction, so that a record lies where its row says. */
  #atOneMoment<Result>(query: number, read: () => Result): Result {
    this.#db.exec("BEGIN");
    try {
      return this.#interrupt.during(query, read);
    } finally {
      // An error that has ended the transaction must not be hidden by a failing COMMIT.
      if (this.#db.isTransaction) this.#db.exec("COMMIT");
    }
  }
}

/** Adds a record to a page, or skips it if it is damaged. */
function skipIfDamaged(page: ListPageBuilder, position: ListPosition, add: () => void): void {
  try {
    add();
  } catch (error) {
    if (!(error instanceof DamagedSegmentError) && !isCorrupt(error)) throw error;
    page.skipDamaged(position);
  }
}
