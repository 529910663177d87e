import { setImmediate as nextTurn } from "node:timers/promises";
import type { ListContent } from "@agate/protocol";
import { AFTER_LISTED_TOTAL, buildTree, totalText } from "@agate/spans/tree";
import { ListPageBuilder, listedBytes } from "../list-page.ts";
import type { PlacedNode } from "../segments/node-table.ts";
import type { ListPage, ListPosition, ListRequest } from "../span-query.ts";
import { MOST_PAGE_BYTES } from "../span-query.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";
import { PAGE_READ } from "./clickhouse-session.ts";
import type { Condition } from "./filter-sql.ts";
import { spansAfter, whereEachTerm, whereFilter, whereText } from "./filter-sql.ts";
import { ListedScores } from "./score-table.ts";
import type { SpanPlace } from "./span-records.ts";
import { recordBytesAt, recordsAt } from "./span-records.ts";
import { nodesOf } from "./stored-summaries.ts";
import type { TraceCandidate } from "./trace-search.ts";
import { positionBehind, TraceSearch } from "./trace-search.ts";

const EMPTY_PAGE: ListPage = { items: [], next: null };

/** Rows that are read beyond a page's limit, because rows that a newer one replaced are left out. */
const SPARE_ROWS = 10;

/** A row of `spans_by_start`, which a newer one may have replaced. */
interface SpanCandidate extends SpanPlace {
  readonly startNanos: number;
  readonly version: number;
}

/** A candidate for a page; its record is read once it is known to fit. */
interface Listed {
  readonly position: ListPosition;
  readonly place: SpanPlace;
  readonly total: string;
  readonly recordBytes: number;
  /** Null where it is to be read. */
  readonly record: string | null;
}

interface ReadRows {
  readonly listed: readonly Listed[];
  /** Where the list goes on; null where it ends with these. */
  readonly next: ListPosition | null;
}

interface ListedItem {
  readonly position: ListPosition;
  /** Undefined where the span was deleted between two statements. */
  readonly item: string | undefined;
  /** Of the whole record. */
  readonly bytes: number;
}

/** Making a preview of a longer one may take a millisecond or more. */
const LARGE_RECORD = 128 * 1024;

/** Lists of traces and of spans, newest first. */
export class ListReader {
  readonly #session: ClickHouseSession;

  constructor(session: ClickHouseSession) {
    this.#session = session;
  }

  async listTraces(request: ListRequest): Promise<ListPage> {
    const { text } = request.filter;
    const terms = text === undefined ? [] : whereEachTerm(text);
    if (terms === undefined) return EMPTY_PAGE;
    const search = new TraceSearch(this.#session, request, terms);
    return this.#page(request, async (after, limit) => {
      const { traces, next } = await search.next(after, limit);
      return { next, listed: await this.#latestTraces(request.project, traces) };
    });
  }

  async listSpans(request: ListRequest): Promise<ListPage> {
    const { text } = request.filter;
    const search = text === undefined ? null : whereText(text);
    if (search === undefined) return EMPTY_PAGE;
    return this.#page(request, async (after, limit) => {
      const rows = await this.#spanCandidates(request, search, after, limit);
      const next = positionBehind(rows, limit);
      return { next, listed: await this.#latestSpans(request.project, rows) };
    });
  }

  /** Reads on until a page is full, since rows that were replaced do not count. */
  async #page(
    request: ListRequest,
    read: (after: ListPosition | null, limit: number) => Promise<ReadRows>,
  ): Promise<ListPage> {
    const { limit } = request;
    const found: Listed[] = [];
    let from = request.after;
    do {
      const wanted = limit + 1 - found.length + SPARE_ROWS;
      const { listed, next } = await read(from, wanted);
      found.push(...listed);
      from = next;
    } while (from !== null && found.length <= limit);
    return this.#fill(request, found);
  }

  /** Reads the records that a page has room for. */
  async #fill(
    { project, limit, content, maxBytes = MOST_PAGE_BYTES }: ListRequest,
    found: readonly Listed[],
  ): Promise<ListPage> {
    const candidates = found.slice(0, limit);
    const scores = await ListedScores.of(
      this.#session,
      project,
      candidates.map(({ place }) => place),
      candidates[0]?.position.spanId === null,
    );
    const page = new ListPageBuilder(maxBytes);
    let shown = 0;
    // Of whole records a page is read at once. Many more of them become the previews of a page: as many as
    // memory may hold are read at a time.
    const bytesAtOnce = content === "preview" ? MOST_PAGE_BYTES : maxBytes;
    do {
      const some = fitting(candidates.slice(shown), bytesAtOnce, scores);
      for (const { position, item, bytes } of await this.#items(project, some, scores, content)) {
        if (item === undefined) page.skip(position);
        else if (!page.addIfFits(position, item, listedBytes(content, item, bytes))) {
          return page.finish(true);
        }
        shown++;
      }
    } while (content === "preview" && shown < candidates.length);
    return page.finish(shown < found.length);
  }

  async #items(
    project: string,
    listed: readonly Listed[],
    scores: ListedScores,
    content: ListContent | undefined,
  ): Promise<readonly ListedItem[]> {
    const missing = listed.filter(({ record }) => record === null);
    const [recordAt, scoresAt] = await Promise.all([
      recordsAt(
        this.#session,
        project,
        missing.map(({ place }) => place),
      ),
      scores.read(listed.map(({ place }) => place)),
    ]);
    const items: ListedItem[] = [];
    for (const each of listed) {
      const { position, place, record, recordBytes, total } = each;
      const open = record ?? recordAt(place);
      const item = open && scoresAt(place).listed(open, total, content);
      items.push({ position, item, bytes: bytesOf(each, scores) });
      // The previews of a page of them take some tens of milliseconds: others have their turn in between.
      if (recordBytes > LARGE_RECORD) await nextTurn();
    }
    return items;
  }

  /** The rows that are the latest summary of their trace. */
  async #latestTraces(project: string, rows: readonly TraceCandidate[]): Promise<Listed[]> {
    const traceIds = rows.map(({ traceId }) => traceId);
    const [latest, bytesAt] = await Promise.all([
      this.#latestVersions(project, traceIds),
      recordBytesAt(
        this.#session,
        project,
        rows.filter(({ record }) => record === "").map(({ top }) => top),
      ),
    ]);
    return rows.flatMap(({ start, startNanos, traceId, version, top, total, record: atHand }) => {
      const record = atHand === "" ? null : atHand;
      const recordBytes = record === null ? bytesAt(top) : Buffer.byteLength(record);
      const isShown = recordBytes !== undefined && latest.get(traceId) === version;
      const position = { start, startNanos, traceId, spanId: null };
      return isShown ? [{ position, place: top, total, recordBytes, record }] : [];
    });
  }

  async #latestVersions(
    project: string,
    traceIds: readonly string[],
  ): Promise<Map<string, string>> {
    if (traceIds.length === 0) return new Map();
    const rows = await this.#session.rows<[string, string]>(
      `SELECT trace_id, toString(max(version)) FROM ${this.#session.table("traces_by_id")}
       WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)} GROUP BY trace_id`,
      { project, traceIds },
    );
    return new Map(rows);
  }

  async #spanCandidates(
    { project, filter }: ListRequest,
    search: Condition | null,
    after: ListPosition | null,
    limit: number,
  ): Promise<SpanCandidate[]> {
    const where = whereFilter(this.#session, "spans_by_start", filter);
    const beyond = spansAfter(after);
    const rows = await this.#session.rows<[number, number, string, string, number]>(
      `SELECT start, start_nanos, span_id, trace_id, version FROM ${this.#session.table("spans_by_start")}
       WHERE project = {project:String} AND ${where.text} AND ${beyond.text}
         ${search === null ? "" : `AND ${search.text}`}
       ORDER BY start DESC, start_nanos DESC, span_id DESC, trace_id DESC, version DESC
       LIMIT 1 BY start, start_nanos, span_id, trace_id LIMIT {limit:UInt32}`,
      { project, limit, ...where.parameters, ...beyond.parameters, ...search?.parameters },
      PAGE_READ,
    );
    return rows.map(([start, startNanos, spanId, traceId, version]) => ({
      start,
      startNanos,
      spanId,
      traceId,
      version,
    }));
  }

  /** Those of the rows that are the last write of their span, with the totals of their subtrees. */
  async #latestSpans(project: string, rows: readonly SpanCandidate[]): Promise<Listed[]> {
    const traceIds = [...new Set(rows.map(({ traceId }) => traceId))];
    if (traceIds.length === 0) return [];
    const traces = await nodesOf(this.#session, project, traceIds);
    const trees = new Map(
      [...traces].map(([traceId, nodes]) => [traceId, { nodes, tree: buildTree(nodes.table) }]),
    );
    return rows.flatMap((row) => {
      const trace = trees.get(row.traceId);
      if (trace === undefined) return [];
      const { nodes, tree } = trace;
      const index = nodes.indexOf(row.spanId);
      if (index < 0 || nodes.versionAt(index) !== row.version) return [];
      const { start, startNanos, traceId, spanId } = row;
      const place = { start, startNanos, traceId, spanId };
      const { openLength: recordBytes } = nodes.table.at(index) as PlacedNode;
      const total = totalText(tree.total(index));
      return [{ position: place, place, total, recordBytes, record: null }];
    });
  }
}

/** The first of some records that stay within a number of bytes; at least one. */
function fitting(
  found: readonly Listed[],
  maxBytes: number,
  scores: ListedScores,
): readonly Listed[] {
  let bytes = 0;
  const end = found.findIndex((each, n) => {
    bytes += bytesOf(each, scores);
    return n > 0 && bytes > maxBytes;
  });
  return end < 0 ? found : found.slice(0, end);
}

function bytesOf({ recordBytes, total, place }: Listed, scores: ListedScores): number {
  return recordBytes + total.length + AFTER_LISTED_TOTAL.length + scores.bytesAfter(place);
}
