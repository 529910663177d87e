import { filterConditions } from "../filter-conditions.ts";
import type { ScoreCondition } from "../score-store.ts";
import type { ListPosition, SpanFilter } from "../span-query.ts";
import { dateText } from "./day.ts";
import type { SpanSearch, TraceSearch } from "./search-plan.ts";
import { SEGMENTS_PER_GROUP } from "./segment-texts.ts";
import type { SqlValue } from "./span-database.ts";
import type { ListQuery, SearchQuery } from "./word-lists.ts";

/** That a row of `spans` has an id: the index is on a hash of it. */
export function isSpan(row: string, spanId: string): string {
  return `hashtextextended(${row}.span_id, 0) = hashtextextended(${spanId}, 0) AND ${row}.span_id = ${spanId}`;
}

/** The table that a list reads: `t` is a row of `traces`, `p` one of `spans`. */
export type ListedTable = "t" | "p";

/** Conditions of a statement and their parameters. */
export class Conditions {
  readonly values: SqlValue[] = [];
  readonly #texts: string[] = [];

  get text(): string {
    return this.#texts.join(" AND ");
  }

  /** Adds a value. @returns Its placeholder. */
  value(value: SqlValue): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  add(condition: string): void {
    this.#texts.push(condition);
  }
}

/** The conditions of a filter on the traces of a project. Each search must find the trace. */
export function whereTraces(
  project: string,
  filter: SpanFilter,
  searches: readonly TraceSearch[],
): Conditions {
  const where = whereFilter("t", project, filter);
  for (const search of searches) {
    if (search.kind === "many") where.add(whereFound(where, search.query));
    else where.add(`t.trace_no = ANY(${where.value(search.traceNos)}::bigint[])`);
  }
  return where;
}

/** The conditions of a filter on the spans of a project. What is searched for is not among them. */
export function whereSpans(project: string, filter: SpanFilter): Conditions {
  return whereFilter("p", project, filter);
}

function whereFilter(row: ListedTable, project: string, filter: SpanFilter): Conditions {
  const where = new Conditions();
  where.add(`${row}.project = ${where.value(project)}`);
  for (const { column, operator, value, isIndexed } of filterConditions(filter)) {
    // A literal, so that PostgreSQL can see that the index of failed spans covers it.
    if (column === "status" && value === "ERROR") {
      where.add(`${row}.status = 'ERROR'`);
      continue;
    }
    // The index is on a hash of the value, which may have any length.
    if (isIndexed) {
      where.add(
        `hashtextextended(${row}.${column}, 0) = hashtextextended(${where.value(value)}, 0)`,
      );
    }
    where.add(`${row}.${column} ${operator} ${where.value(value)}`);
  }
  addRun(where, row, filter);
  if (filter.anyError !== undefined) where.add(whereFailed(row, filter.anyError));
  if (filter.traceIds !== undefined) where.add(`t.trace_id = ANY(${where.value(filter.traceIds)})`);
  if (filter.score !== undefined) where.add(whereScored(row, where, filter.score));
  return where;
}

/** Traces, and spans by that of their trace, of a run or of a kind of traffic. */
function addRun(where: Conditions, row: ListedTable, filter: SpanFilter): void {
  const { run, traffic, anyError } = filter;
  if (run !== undefined) {
    const value = where.value(run);
    where.add(`hashtextextended(t.run, 0) = hashtextextended(${value}, 0) AND t.run = ${value}`);
  }
  if (traffic === "evaluation") where.add("t.run IS NOT NULL");
  if (traffic !== "live") return;
  // Without statistics of a new column, PostgreSQL takes it to be null in one row of 200, and would begin a list of
  // spans with the traces. This it takes to hold for every second one. Of traces with a failed span, it would take
  // the index of all live ones.
  const isIndexed = row === "t" && anyError !== true;
  where.add(isIndexed ? "t.run IS NULL" : "NOT coalesce(t.run IS NOT NULL, false)");
}

/** Traces, and spans by their trace, of which a span failed, or none. */
function whereFailed(row: ListedTable, anyError: boolean): string {
  // As the index of such traces has it. Otherwise in a form that PostgreSQL takes to hold for every second trace:
  // a list of spans would begin with a hash of all traces.
  if (row === "t" && anyError) return "t.failed_spans > 0";
  return `${anyError ? "" : "NOT "}coalesce(t.failed_spans > 0, false)`;
}

/** A trace by the scores of any of its spans, a span by those that name it. */
function whereScored(row: ListedTable, where: Conditions, { name, test }: ScoreCondition): string {
  const span = row === "p" ? " AND c.span_id = p.span_id" : "";
  const scores = `SELECT FROM agate.scores c
    WHERE c.project = t.project AND c.trace_id = t.trace_id AND c.name = ${where.value(name)}${span}`;
  if (test === "none") return `NOT EXISTS (${scores})`;
  if (test === "any") return `EXISTS (${scores})`;
  const wanted =
    typeof test === "string"
      ? `c.status = ${where.value(test)}`
      : `c.status = 'ok' AND c.value ${test.operator} ${where.value(test.value)}`;
  return `EXISTS (${scores} AND ${wanted})`;
}

/**
 * The spans to filter, each with its trace. Where ranges of them are known, these are looked up, each after its trace:
 * PostgreSQL misjudges how many there are, and would walk all days in the order of the list, or read all traces.
 */
export function spansToList(where: Conditions, search: SpanSearch | null): string {
  if (search?.kind !== "few") return "agate.spans p JOIN agate.traces t ON t.trace_no = p.trace_no";
  const { ranges } = search;
  const days = where.value(ranges.map(({ day }) => dateText(day)));
  const traceNos = where.value(ranges.map(({ traceNo }) => traceNo));
  const firsts = where.value(ranges.map(({ first }) => first));
  const counts = where.value(ranges.map(({ count }) => count));
  return `unnest(${days}::date[], ${traceNos}::bigint[], ${firsts}::integer[], ${counts}::integer[])
      AS f (day, trace_no, first, count)
    CROSS JOIN LATERAL (SELECT * FROM agate.traces WHERE trace_no = f.trace_no OFFSET 0) AS t
    CROSS JOIN LATERAL (SELECT * FROM agate.spans
      WHERE day = f.day AND trace_no = t.trace_no AND segment >= f.first AND segment < f.first + f.count OFFSET 0) AS p`;
}

/** Everything that comes after a position in the order of the list. */
export function addAfter(where: Conditions, row: ListedTable, after: ListPosition | null): void {
  if (after === null) return;
  const { start, startNanos, traceId, spanId } = after;
  // The first condition alone lets PostgreSQL start in the middle of the index.
  const at = where.value(start);
  const nanos = where.value(startNanos);
  const last =
    row === "t"
      ? `(t.start, t.start_nanos, t.trace_id) < (${at}, ${nanos}, ${where.value(traceId)})`
      : `(p.start, p.start_nanos, p.span_id, t.trace_id) <
           (${at}, ${nanos}, ${where.value(spanId ?? "")}, ${where.value(traceId)})`;
  where.add(`${row}.start <= ${at} AND ${last}`);
}

/** The traces of a list, and whether the index has found in each all that is searched for (`may_match`). */
export function tracesWithMatches(
  where: Conditions,
  list: string,
  queries: readonly SearchQuery[],
): string {
  const conditions = queries.map((query) => whereFound(where, query));
  return `WITH t AS MATERIALIZED (${list}) SELECT t.*, ${conditions.join(" AND ")} AS may_match FROM t`;
}

/** Whether the index has found in a trace what a query looks for. */
function whereFound(where: Conditions, { whole, parts }: SearchQuery): string {
  // An aggregate and not EXISTS, which PostgreSQL would turn into a hash of all texts that match. Of a trace without
  // such texts it is null, which would not end an AND.
  const inTexts = (table: string, query: ListQuery) =>
    `coalesce((SELECT bool_or(${hasQuery(where, query)}) FROM ${textsOf("t", table)}), false)`;
  return `(${inTexts("texts", whole)} OR
    (${parts.map((part) => inTexts("long_texts", part)).join(" AND ")}))`;
}

/** Of a pasted paragraph, every term would unpack the words of each segment once more. */
export const MOST_ASKED = 8;

/**
 * The spans (`l`) of a list, and whether each may have all that is searched for (`may_match`): the segments that it is
 * indexed with have the longest terms, or are not indexed yet. They are asked once for all of their spans: those that
 * follow each other in a list are often of the same trace.
 *
 * @param list A statement whose rows have a day, a trace and a segment.
 */
export function spansWithMatches(
  where: Conditions,
  list: string,
  queries: readonly SearchQuery[],
): string {
  const group = `l.segment - l.segment % ${SEGMENTS_PER_GROUP}`;
  const inGroup = `AND s.segment >= g.first AND s.segment < g.first + ${SEGMENTS_PER_GROUP}`;
  // Otherwise every search would report them as damaged.
  const isSetAside = `EXISTS (SELECT FROM agate.unindexable s WHERE s.trace_no = g.trace_no ${inGroup})`;
  const inParts = (part: ListQuery) =>
    `coalesce((SELECT bool_or(${hasQuery(where, part)}) FROM ${textsOf("g", "long_texts")} ${inGroup}), false)`;
  const asked = queries
    .toSorted((one, other) => other.whole.sequence.length - one.whole.sequence.length)
    .slice(0, MOST_ASKED);
  const columns = asked.map(({ whole }, n) => `bool_or(${hasQuery(where, whole)}) AS has_${n}`);
  const conditions = asked.map(
    ({ parts }, n) => `(w.has_${n} OR (${parts.map(inParts).join(" AND ")}))`,
  );
  return `WITH listed AS MATERIALIZED (${list})
    SELECT l.*, i.first IS NOT NULL AS may_match FROM listed l LEFT JOIN (
      SELECT g.trace_no, g.first FROM (SELECT DISTINCT day, trace_no, ${group} AS first FROM listed l) AS g
      CROSS JOIN LATERAL (
        SELECT count(*) AS texts, ${columns.join(", ")} FROM ${textsOf("g", "texts")} ${inGroup}
      ) AS w WHERE (w.texts = 0 AND NOT ${isSetAside}) OR (${conditions.join(" AND ")})
    ) AS i ON i.trace_no = l.trace_no AND i.first = ${group}`;
}

/** The rows of words of a trace, or of some of its segments (`s`) where conditions on these follow. */
function textsOf(row: string, table: string): string {
  return `agate.segments s JOIN agate.${table} x ON x.day = s.day
      AND x.span_no >= s.first_span AND x.span_no < s.first_span + s.spans
    WHERE s.day = ${row}.day AND s.trace_no = ${row}.trace_no`;
}

/** Whether a row of words has what a query looks for. */
function hasQuery(where: Conditions, { sequence, places }: ListQuery): string {
  return `strpos(x.word_list, ${where.value(sequence)}) > 0 OR x.words @@ ${where.value(places)}::tsquery`;
}
