import type { ListPosition, ListRequest } from "../span-query.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";
import { PAGE_READ } from "./clickhouse-session.ts";
import type { Condition } from "./filter-sql.ts";
import { tracesAfter, whereFilter } from "./filter-sql.ts";
import type { SpanPlace } from "./span-records.ts";

/** A row of `traces`, which a newer one may have replaced. */
export interface TraceCandidate extends ListPosition {
  readonly version: string;
  readonly top: SpanPlace;
  readonly total: string;
  /** The top's; empty where it is to be looked up. */
  readonly record: string;
}

interface FoundTraces {
  /** Fewer than were asked for where the list ends with them. */
  readonly rows: readonly TraceCandidate[];
  /** Those of the rows that have all terms. */
  readonly matching: readonly TraceCandidate[];
}

/** A term that no more traces have is rare: the traces are known by their ids. */
const FEW_TRACES = 2_000;
/** Of a list by common terms, the first traces are asked one by one. Where these do not fill a page, all are looked for. */
const TRACES_ASKED = 600;
/** How many traces are asked at first for each that is wanted, and how many times as many in each further step. */
const FIRST_ASKED = 2;
const STEP_GROWTH = 4;

/**
 * Traces in the order of a list that have all terms of a search, each in the last write of any of their spans.
 *
 * The index of words knows spans, and traces are listed by their own start: for a word that most traces have, it
 * would name all of them for a page of fifty. So a list of common words looks at its first traces, and one of a rare
 * word at those that have it.
 */
export class TraceSearch {
  readonly #session: ClickHouseSession;
  readonly #request: ListRequest;
  readonly #terms: readonly Condition[];
  #rare: Promise<readonly string[] | undefined> | undefined;

  /** @param terms None for a list without a search. */
  constructor(session: ClickHouseSession, request: ListRequest, terms: readonly Condition[]) {
    this.#session = session;
    this.#request = request;
    this.#terms = terms;
  }

  /** The next traces behind a position. */
  async next(after: ListPosition | null, limit: number): Promise<FoundTraces> {
    if (this.#terms.length === 0) {
      const rows = await this.#candidates([], after, limit);
      return { rows, matching: rows };
    }
    this.#rare ??= this.#tracesOfRarest();
    const asked = await this.#askOneByOne(await this.#rare, after, limit);
    if (asked !== undefined) return { rows: asked, matching: asked };
    const { project } = this.#request;
    const byIndex = this.#terms.map(({ text, parameters }) => ({
      text: `trace_id IN (SELECT trace_id FROM ${this.#session.table("spans_by_start")}
        WHERE project = {project:String} AND ${text})`,
      parameters,
    }));
    const rows = await this.#candidates(byIndex, after, limit);
    const matching = await this.#matching(
      project,
      rows.map(({ traceId }) => traceId),
    );
    return { rows, matching: rows.filter(({ traceId }) => matching.has(traceId)) };
  }

  /** The traces that have, or had, the rarest of the terms; undefined where all terms are common. */
  async #tracesOfRarest(): Promise<readonly string[] | undefined> {
    const found = await Promise.all(
      this.#terms.map(({ text, parameters }) =>
        this.#session.rows<[string]>(
          `SELECT DISTINCT trace_id FROM ${this.#session.table("spans_by_start")}
           WHERE project = {project:String} AND ${text} LIMIT ${FEW_TRACES + 1}`,
          { project: this.#request.project, ...parameters },
        ),
      ),
    );
    const rarest = found.reduce((one, other) => (other.length < one.length ? other : one));
    return rarest.length > FEW_TRACES ? undefined : rarest.map(([traceId]) => traceId);
  }

  /** @returns Undefined where the first traces of the list do not fill a page, and there are more. */
  async #askOneByOne(
    rare: readonly string[] | undefined,
    after: ListPosition | null,
    limit: number,
  ): Promise<TraceCandidate[] | undefined> {
    if (rare?.length === 0) return [];
    const { project } = this.#request;
    const among: readonly Condition[] =
      rare === undefined
        ? []
        : [{ text: "trace_id IN {rare:Array(String)}", parameters: { rare } }];
    const found: string[] = [];
    let from = after;
    let isEnd = false;
    for (
      let size = FIRST_ASKED * limit, asked = 0;
      !isEnd && found.length < limit;
      size *= STEP_GROWTH
    ) {
      if (rare === undefined && asked >= TRACES_ASKED) return undefined;
      const rows = await this.#rows<[number, number, string]>(
        "start, start_nanos, trace_id",
        among,
        from,
        size,
      );
      const ids = rows.map(([, , traceId]) => traceId);
      const matching = await this.#matching(project, ids);
      found.push(...ids.filter((traceId) => matching.has(traceId)));
      const [start, startNanos, traceId] = rows.at(-1) ?? [0, 0, ""];
      from = { start, startNanos, traceId, spanId: null };
      asked += rows.length;
      isEnd = rows.length < size;
    }
    if (found.length === 0) return [];
    const within: Condition = {
      text: "trace_id IN {found:Array(String)} AND start >= {lowest:Int64}",
      parameters: { found, lowest: isEnd ? Number.MIN_SAFE_INTEGER : (from?.start ?? 0) },
    };
    return this.#candidates([within], after, limit);
  }

  async #candidates(
    conditions: readonly Condition[],
    after: ListPosition | null,
    limit: number,
  ): Promise<TraceCandidate[]> {
    const rows = await this.#rows<[number, number, string, string, string, string, string]>(
      "start, start_nanos, trace_id, toString(version), top_id, total, record",
      conditions,
      after,
      limit,
    );
    return rows.map(([start, startNanos, traceId, version, topId, total, record]) => ({
      start,
      startNanos,
      traceId,
      spanId: null,
      version,
      top: { traceId, start, spanId: topId },
      total,
      record,
    }));
  }

  /** Rows of `traces` in the order of the list. */
  #rows<Row>(
    columns: string,
    conditions: readonly Condition[],
    after: ListPosition | null,
    limit: number,
  ): Promise<Row[]> {
    const { project, filter } = this.#request;
    const where = [whereFilter(this.#session, "traces", filter), tracesAfter(after), ...conditions];
    return this.#session.rows<Row>(
      `SELECT ${columns} FROM ${this.#session.table("traces")}
       WHERE project = {project:String} AND moved = 0 AND ${where.map(({ text }) => text).join(" AND ")}
       ORDER BY start DESC, start_nanos DESC, trace_id DESC, version DESC
       LIMIT 1 BY start, start_nanos, trace_id LIMIT {limit:UInt32}`,
      Object.assign({ project, limit }, ...where.map(({ parameters }) => parameters)),
      PAGE_READ,
    );
  }

  /** Those of the traces in which each term is found in the last write of a span. */
  async #matching(project: string, traceIds: readonly string[]): Promise<Set<string>> {
    if (traceIds.length === 0) return new Set();
    const terms = this.#terms;
    const rows = await this.#session.rows<[string]>(
      `SELECT trace_id FROM ${this.#session.table("spans_by_start")}
       WHERE project = {project:String}
         AND (${terms.map(({ text }) => `(${text})`).join(" OR ")})
         AND (start, span_id, trace_id, version) IN (
           SELECT argMax(start, version), span_id, trace_id, max(version)
           FROM ${this.#session.table("spans")}
           WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}
           GROUP BY trace_id, span_id
         )
       GROUP BY trace_id HAVING ${terms.map(({ text }) => `countIf(${text}) > 0`).join(" AND ")}`,
      Object.assign({ project, traceIds }, ...terms.map(({ parameters }) => parameters)),
    );
    return new Set(rows.map(([traceId]) => traceId));
  }
}
