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
  readonly traces: readonly TraceCandidate[];
  /** Where the list goes on; null where it ends with these. */
  readonly next: ListPosition | null;
}

/** A term that no more traces have is rare: the traces are known by their ids. */
const FEW_TRACES = 2_000;
/** Each is a statement, and whole paragraphs are searched for. The conditions that are most likely rare come first. */
const TERMS_LOOKED_UP = 4;
/** About so many traces are asked one by one. Where these do not fill a page, all that match are looked for. */
const TRACES_ASKED = 600;
/** How many traces are asked at first for each that is wanted, and how many times as many in each further step. */
const FIRST_ASKED = 2;
const STEP_GROWTH = 4;

/**
 * Traces in the order of a list that have all terms of a search, each in the last write of any of their spans.
 *
 * The index of words knows spans, and traces are listed by their own start: for a word that most traces have, it
 * would name all of them for a page of fifty. So a list of common words looks at its first traces, and one of rare
 * words at the first of those that have them.
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

  /** The next traces behind a position: at most `limit`, or fewer where some were replaced or deleted meanwhile. */
  async next(after: ListPosition | null, limit: number): Promise<FoundTraces> {
    if (this.#terms.length === 0) {
      const traces = await this.#candidates([], after, limit);
      return { traces, next: positionBehind(traces, limit) };
    }
    this.#rare ??= this.#tracesOfRareTerms();
    const rare = await this.#rare;
    if (rare?.length === 0) return { traces: [], next: null };
    const among: readonly Condition[] =
      rare === undefined
        ? []
        : [{ text: "trace_id IN {rare:Array(String)}", parameters: { rare } }];
    return (
      (await this.#askOneByOne(among, after, limit)) ?? (await this.#lookUp(among, after, limit))
    );
  }

  /** The traces that have, or had, all of the rare terms; undefined where no term is known to be rare. */
  async #tracesOfRareTerms(): Promise<readonly string[] | undefined> {
    const found = await Promise.all(
      this.#terms.slice(0, TERMS_LOOKED_UP).map(({ text, parameters }) =>
        this.#session.rows<[string]>(
          `SELECT DISTINCT trace_id FROM ${this.#session.table("spans_by_start")}
           WHERE project = {project:String} AND ${text} LIMIT ${FEW_TRACES + 1}`,
          { project: this.#request.project, ...parameters },
        ),
      ),
    );
    const [first, ...others] = found
      .filter((rows) => rows.length <= FEW_TRACES)
      .map((rows) => new Set(rows.map(([traceId]) => traceId)));
    return first && [...first].filter((traceId) => others.every((traces) => traces.has(traceId)));
  }

  /** @returns Undefined where the first traces of the list do not fill a page, and there are more. */
  async #askOneByOne(
    among: readonly Condition[],
    after: ListPosition | null,
    limit: number,
  ): Promise<FoundTraces | undefined> {
    const found: ListPosition[] = [];
    let from = after;
    let isEnd = false;
    for (
      let size = FIRST_ASKED * limit, asked = 0;
      !isEnd && found.length < limit;
      size *= STEP_GROWTH
    ) {
      if (asked >= TRACES_ASKED) return undefined;
      const rows = await this.#rows<[number, number, string]>(
        "start, start_nanos, trace_id",
        among,
        from,
        size,
      );
      const traces = rows.map(([start, startNanos, traceId]) => ({
        start,
        startNanos,
        traceId,
        spanId: null,
      }));
      const matching = await this.#matching(traces);
      found.push(...traces.filter(({ traceId }) => matching.has(traceId)));
      from = traces.at(-1) ?? from;
      asked += rows.length;
      isEnd = rows.length < size;
    }
    const listed = found.slice(0, limit);
    const last = listed.at(-1);
    if (last === undefined) return { traces: [], next: null };
    const within: Condition = {
      text: "trace_id IN {found:Array(String)} AND start >= {lowest:Int64}",
      parameters: { found: listed.map(({ traceId }) => traceId), lowest: last.start },
    };
    // A merge may have dropped one of them since, or another replica answers: fewer rows are not the end of the list.
    const next = isEnd && found.length <= limit ? null : last;
    return { traces: await this.#candidates([within], after, limit), next };
  }

  /** Has the index of words name all traces with each term, and asks of those of a page what they have now. */
  async #lookUp(
    among: readonly Condition[],
    after: ListPosition | null,
    limit: number,
  ): Promise<FoundTraces> {
    const known = among.map(({ text }) => `AND ${text}`).join(" ");
    const byIndex = this.#terms.map(({ text, parameters }) => ({
      text: `trace_id IN (SELECT trace_id FROM ${this.#session.table("spans_by_start")}
        WHERE project = {project:String} ${known} AND ${text})`,
      parameters,
    }));
    const traces = await this.#candidates([...among, ...byIndex], after, limit);
    const matching = await this.#matching(traces);
    return {
      traces: traces.filter(({ traceId }) => matching.has(traceId)),
      next: positionBehind(traces, limit),
    };
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
  async #matching(traces: readonly ListPosition[]): Promise<Set<string>> {
    if (traces.length === 0) return new Set();
    const { project } = this.#request;
    const traceIds = traces.map(({ traceId }) => traceId);
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

/** @param rows Fewer than `limit` where the list ends with them. */
export function positionBehind<Row extends ListPosition>(
  rows: readonly Row[],
  limit: number,
): ListPosition | null {
  return rows.length < limit ? null : (rows.at(-1) ?? null);
}
