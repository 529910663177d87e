import type { DatabaseSync } from "node:sqlite";
import type { ListContent } from "@agate/protocol";
import { AFTER_LISTED_TOTAL } from "@agate/spans/tree";
import { ByteWindow, freeMemory } from "../byte-window.ts";
import { ListPageBuilder, listedBytes } from "../list-page.ts";
import type { ScorePart } from "../score-parts.ts";
import type { ScoreFiguresRequest, ScoreFiguresResult } from "../score-query.ts";
import { NO_SCORES_FOUND } from "../score-query.ts";
import { SpanMatcher } from "../search/span-matcher.ts";
import type { HeaderRow } from "../segments/node-table.ts";
import { SegmentMerger } from "../segments/node-table.ts";
import {
  DamagedSegmentError,
  decodeHeader,
  isAssembledEntry,
  openRecordText,
  plainBody,
  spanIdIn,
} from "../segments/segment.ts";
import type { SpanAdditions } from "../span-additions.ts";
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
import type { Sql } from "./filter-sql.ts";
import { whereAfter, whereFilter } from "./filter-sql.ts";
import { QueryInterrupt } from "./query-interrupt.ts";
import { earliestStart, registerCollectNumbers, runAnalytics } from "./run-analytics.ts";
import { runScoreFigures } from "./run-score-figures.ts";
import { ScoreExporter } from "./score-exporter.ts";
import { ScoreReader } from "./score-table.ts";
import type { ExportedParts } from "./span-exporter.ts";
import { SpanExporter } from "./span-exporter.ts";
import { SEGMENTS_PER_TRACE, segmentRange } from "./span-schema.ts";
import { isCorrupt } from "./sqlite-errors.ts";

/** This many rows are looked up and sorted in some tens of milliseconds. */
const RARE_MATCHES = 20_000;

/** Spans whose records are read for one page of a search: the page ends there, and the next goes on behind it. */
const MOST_READ = 10_000;

const EMPTY_PAGE: ListPage = { items: [], next: null };

interface TraceRow {
  readonly trace_id: string;
  readonly start: number;
  readonly start_nanos: number;
  readonly segment: number;
  readonly top_offset: number;
  readonly top_length: number;
  readonly total: string;
}

interface SpanRow {
  readonly span_id: string;
  readonly start: number;
  readonly start_nanos: number;
  readonly segment: number;
  readonly trace_no: number;
  readonly trace_id: string;
  readonly segments: number;
}

interface SegmentRow {
  readonly header: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

interface FoundRecord {
  /** The length of the record in UTF-8, without what is added. */
  readonly bytes: number;
  read(added: SpanAdditions, content: ListContent | undefined): string;
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
    const beyond = whereAfter("t", after);
    // Without the records: how many of them the page holds depends on their lengths.
    const rows = this.#db
      .prepare(
        `SELECT t.trace_id, t.start, t.start_nanos, t.trace_no * ${SEGMENTS_PER_TRACE} + t.top_segment AS segment,
           t.top_offset, t.top_length, t.total
         FROM traces t WHERE ${where.text} AND ${beyond.text}
         ORDER BY t.start DESC, t.start_nanos DESC, t.trace_id DESC LIMIT ?`,
      )
      .all(...where.values, ...beyond.values, limit + 1) as unknown as TraceRow[];
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

  #listSpans({ project, filter, limit, content, maxBytes, after }: ListRequest): ListPage {
    const where = whereFilter("p", project, filter, this.#isRare);
    if (where === undefined) return EMPTY_PAGE;
    const beyond = whereAfter("p", after);
    const matcher = filter.text === undefined ? null : new SpanMatcher(filter.text);
    const rows = this.#db
      .prepare(
        `SELECT p.span_id, p.start, p.start_nanos, p.segment, t.trace_no, t.trace_id, t.segments
         FROM spans p CROSS JOIN traces t USING (trace_no)
         WHERE ${where.text} AND ${beyond.text}
         ORDER BY p.start DESC, p.start_nanos DESC, p.span_id DESC, t.trace_id DESC LIMIT ?`,
      )
      .iterate(
        ...where.values,
        ...beyond.values,
        matcher === null ? limit + 1 : MOST_READ + 1,
      ) as Iterable<unknown> as Iterable<SpanRow>;
    const find = this.#spanRecords();
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
    return page.finish(hasMore);
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

  readonly #isRare = ({ text, values }: Sql): boolean => {
    const { n } = this.#db
      .prepare(`SELECT count(*) AS n FROM (${text} LIMIT ?)`)
      .get(...values, RARE_MATCHES + 1) as { n: number };
    return n <= RARE_MATCHES;
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

  /** Finds the listed record of a span; remembers what neighbours in the same page need too. */
  #spanRecords(): (row: SpanRow) => FoundRecord {
    const readHeader = this.#db.prepare("SELECT header FROM segments WHERE segment = ?");
    const readSegment = this.#db.prepare("SELECT header, body FROM segments WHERE segment = ?");
    const entriesOf = memoise((segment: number) => {
      const row = readHeader.get(segment) as { header: string } | undefined;
      return new Map(row && decodeHeader(row.header, segment).map((entry) => [entry.id, entry]));
    });
    const bodies = new ByteWindow<number, Uint8Array<ArrayBuffer>>();
    const readBody = (segment: number, traceId: string) => {
      const { header, body } = readSegment.get(segment) as unknown as SegmentRow;
      return plainBody(header, body, traceId);
    };
    const totals = memoise((traceNo: number) => this.#totalsOf(traceNo));
    return ({ segment, segments, span_id, trace_no, trace_id }) => {
      const entry = entriesOf(segment).get(span_id);
      // In one snapshot, an existing span has its record.
      if (entry === undefined) throw new DamagedSegmentError(trace_id);
      const { offset, openLength, totalLength } = entry;
      const end = offset + openLength;
      const isAtHand = segments === 1 && isAssembledEntry(entry);
      const known = isAtHand ? null : totals(trace_no)(span_id);
      return {
        bytes: openLength + (known?.length ?? totalLength) + AFTER_LISTED_TOTAL.length,
        read: (added, content) => {
          bodies.shrink(freeMemory);
          const body = bodies.get(segment) ?? readBody(segment, trace_id);
          bodies.add(segment, body);
          const total =
            known ?? Buffer.from(body.subarray(end, end + totalLength)).toString("latin1");
          return added.listed(openRecordText(body, offset, openLength), total, content);
        },
      };
    };
  }

  /** The totals of a trace that is not a single assembled segment, by span id. */
  #totalsOf(traceNo: number): (spanId: string) => string {
    const merger = new SegmentMerger();
    const headers = this.#db.prepare(
      "SELECT segment, header FROM segments WHERE segment >= ? AND segment < ? ORDER BY segment",
    );
    for (const row of headers.iterate(...segmentRange(traceNo))) {
      this.#interrupt.check();
      merger.add(row as unknown as HeaderRow);
    }
    return merger.totals();
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

function memoise<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
