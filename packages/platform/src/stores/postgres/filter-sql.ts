import { filterConditions } from "../filter-conditions.ts";
import type { ScoreCondition } from "../score-store.ts";
import type { SearchTerm } from "../search/search-text.ts";
import { parseSearch } from "../search/search-text.ts";
import type { ListPosition, SpanFilter } from "../span-query.ts";
import { dateText } from "./day.ts";
import type { SearchQuery } from "./search-vector.ts";
import { toSearchQuery } from "./search-vector.ts";
import type { SqlRunner, SqlValue } from "./span-database.ts";

/** The table that a list reads: `t` is a row of `traces`, `p` one of `spans`. */
export type ListedTable = "t" | "p";

/** How some terms are looked for, or spans of rare traces; null where there is neither. */
export type SearchPlan =
  /** The matching spans are known: their days, and for each day the numbers as an SQL array. */
  | { readonly kind: "few"; readonly days: readonly string[]; readonly spanNos: readonly string[] }
  /** There are many: each row is checked, in the order of the list. */
  | { readonly kind: "many"; readonly query: SearchQuery }
  | null;

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

/** The conditions of a filter on the rows of a project. Of several searches each must find the row. */
export function whereFilter(
  row: ListedTable,
  project: string,
  filter: SpanFilter,
  searches: readonly SearchPlan[],
): Conditions {
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
  for (const search of searches) {
    if (search?.kind === "many") where.add(whereFound(row, where, search.query));
    if (search?.kind === "few" && row === "t") {
      where.add(`t.trace_no IN (SELECT p.trace_no FROM ${spansToList(where, search)} p)`);
    }
  }
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
 * The spans to filter, as a table. Known spans are looked up in their own days first: PostgreSQL misjudges
 * how many there are, and would walk all days in the order of the list, or look up every number in every
 * day.
 */
export function spansToList(where: Conditions, search: SearchPlan): string {
  if (search?.kind !== "few") return "agate.spans";
  const [days, spanNos] = [where.value(search.days), where.value(search.spanNos)];
  return `(SELECT s.* FROM unnest(${days}::date[], ${spanNos}::text[]) AS f (day, span_nos)
    CROSS JOIN LATERAL (SELECT * FROM agate.spans
      WHERE day = f.day AND span_no = ANY(f.span_nos::bigint[]) OFFSET 0) AS s)`;
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

function whereFound(row: ListedTable, where: Conditions, { whole, parts }: SearchQuery): string {
  // An aggregate and not EXISTS, which PostgreSQL would turn into a hash of all texts that match.
  const inTexts = (table: string, query: string) =>
    `(SELECT bool_or(x.words @@ ${where.value(query)}::tsquery) FROM agate.${table} x
       WHERE x.day = p.day AND x.span_no = p.span_no)`;
  const found = `(${inTexts("texts", whole)} OR
    (${parts.map((part) => inTexts("long_texts", part)).join(" AND ")}))`;
  return row === "p"
    ? found
    : `EXISTS (SELECT FROM agate.segments s JOIN agate.spans p ON p.day = s.day
         AND p.span_no >= s.first_span AND p.span_no < s.first_span + s.spans
         WHERE s.day = t.day AND s.trace_no = t.trace_no AND ${found})`;
}

/** This many spans are looked up and sorted in some tens of milliseconds. */
const FEW = 10_000;

/**
 * Plans a search for traces: each term by itself, since a trace may have them in different spans.
 *
 * @returns undefined when nothing can match: there is no word in the text.
 */
export async function planSearch(
  runner: SqlRunner,
  text: string | undefined,
): Promise<readonly SearchPlan[] | undefined> {
  if (text === undefined) return [];
  const terms = parseSearch(text);
  if (terms.length === 0) return undefined;
  const distinct = new Map(terms.map((term) => [JSON.stringify(term), term])).values();
  const plans: SearchPlan[] = [];
  for (const term of distinct) plans.push(await planTerms(runner, [term]));
  return plans;
}

/**
 * Plans a search for spans that have all of some terms. With few matches they are looked up and sorted; with many,
 * the list is walked in order and each row asked whether it matches.
 */
async function planTerms(runner: SqlRunner, terms: readonly SearchTerm[]): Promise<SearchPlan> {
  const query = toSearchQuery(terms);
  const inParts = query.parts.map(
    (_, n) => `SELECT day, span_no FROM agate.long_texts WHERE words @@ $${n + 3}::tsquery`,
  );
  const found = await runner.query<{ day: number; span_no: number }>(
    `SELECT day, span_no FROM (
       SELECT day, span_no FROM agate.texts WHERE words @@ $1::tsquery
       UNION ALL (${inParts.join(" INTERSECT ")})
     ) AS found LIMIT $2`,
    [query.whole, FEW + 1, ...query.parts],
  );
  if (found.length > FEW) return { kind: "many", query };
  return fewSpans(found);
}

/**
 * Plans a list of spans. Those of traces with a failed span are looked up where they are few: walking the list in
 * order would ask for the trace of every span.
 *
 * @returns undefined when nothing can match, as {@link planSearch}.
 */
export async function planSpans(
  runner: SqlRunner,
  project: string,
  { text, anyError }: SpanFilter,
): Promise<SearchPlan | undefined> {
  if (text !== undefined) {
    const terms = parseSearch(text);
    return terms.length === 0 ? undefined : planTerms(runner, terms);
  }
  if (anyError !== true) return null;
  const segments = await runner.query<{ day: number; first_span: number; spans: number }>(
    `SELECT s.day, s.first_span, s.spans FROM agate.traces t
     CROSS JOIN LATERAL (SELECT day, first_span, spans FROM agate.segments
       WHERE day = t.day AND trace_no = t.trace_no OFFSET 0) AS s
     WHERE t.project = $1 AND t.failed_spans > 0 LIMIT $2`,
    [project, FEW + 1],
  );
  const count = segments.reduce((sum, { spans }) => sum + spans, 0);
  if (count > FEW) return null;
  const numbersOf = ({ first_span, spans }: (typeof segments)[number]) =>
    Array.from({ length: spans }, (_, n) => first_span + n);
  return fewSpans(
    segments.flatMap((segment) =>
      numbersOf(segment).map((span_no) => ({ day: segment.day, span_no })),
    ),
  );
}

function fewSpans(
  found: readonly { readonly day: number; readonly span_no: number }[],
): SearchPlan {
  const byDay = [...Map.groupBy(found, ({ day }) => day)];
  return {
    kind: "few",
    days: byDay.map(([day]) => dateText(day)),
    spanNos: byDay.map(([, spans]) => `{${spans.map(({ span_no }) => span_no).join()}}`),
  };
}
