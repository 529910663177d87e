import type { SearchTerm } from "../search/search-text.ts";
import { parseSearch } from "../search/search-text.ts";
import type { SpanFilter } from "../span-query.ts";
import { dateText } from "./day.ts";
import { groupOf, SEGMENTS_PER_GROUP } from "./segment-texts.ts";
import type { SqlRunner, SqlValue } from "./span-database.ts";
import type { ListQuery, SearchQuery } from "./word-lists.ts";
import { toSearchQuery } from "./word-lists.ts";

/** This many rows of words, segments or traces are looked up in some tens of milliseconds. */
const FEW = 10_000;

/** How traces with a term are found. */
export type TraceSearch =
  | { readonly kind: "few"; readonly traceNos: readonly number[] }
  /** Each trace is checked, in the order of the list. */
  | { readonly kind: "many"; readonly query: SearchQuery };

/** Spans whose numbers follow each other. */
interface SpanRange {
  readonly day: number;
  readonly first: number;
  readonly count: number;
}

/** How spans are found that may have all terms, or that are of rare traces. */
export type SpanSearch =
  | { readonly kind: "few"; readonly ranges: readonly SpanRange[] }
  /** Each span is checked, in the order of the list. */
  | { readonly kind: "many"; readonly queries: readonly SearchQuery[] };

/**
 * Plans a search for traces: each term by itself, since a trace may have them in different spans.
 *
 * @returns undefined when nothing can match: there is no word in the text.
 */
export async function planTraces(
  runner: SqlRunner,
  text: string | undefined,
): Promise<readonly TraceSearch[] | undefined> {
  if (text === undefined) return [];
  const terms = distinctTerms(text);
  if (terms.length === 0) return undefined;
  const searches: TraceSearch[] = [];
  for (const term of terms) {
    const query = toSearchQuery(term);
    const found = await findTexts(runner, query);
    searches.push(
      found === "many"
        ? { kind: "many", query }
        : { kind: "few", traceNos: await tracesOf(runner, found) },
    );
  }
  return searches;
}

/**
 * Plans a list of spans. With few matches they are looked up and sorted; with many, the list is walked in order. Spans
 * of traces with a failed span are looked up where they are few: walking the list in order would ask for the trace of
 * every span.
 *
 * @returns undefined when nothing can match, as {@link planTraces}; null where there is nothing to plan.
 */
export async function planSpans(
  runner: SqlRunner,
  project: string,
  { text, anyError }: SpanFilter,
): Promise<SpanSearch | null | undefined> {
  if (text !== undefined) {
    const queries = distinctTerms(text).map(toSearchQuery);
    return queries.length === 0 ? undefined : planQueries(runner, queries);
  }
  return anyError === true ? spansOfFailed(runner, project) : null;
}

function distinctTerms(text: string): SearchTerm[] {
  return [...new Map(parseSearch(text).map((term) => [JSON.stringify(term), term])).values()];
}

/** By the term that the fewest segments have; the others are left to a look at the records. */
async function planQueries(
  runner: SqlRunner,
  queries: readonly SearchQuery[],
): Promise<SpanSearch> {
  let fewest: readonly FoundText[] | undefined;
  for (const query of queries) {
    const found = await findTexts(runner, query);
    if (found === "many") continue;
    if (fewest === undefined || found.length < fewest.length) fewest = found;
    if (fewest.length === 0) break;
  }
  if (fewest === undefined) return { kind: "many", queries };
  return { kind: "few", ranges: await rangesOf(runner, fewest) };
}

/** A row of words: of a segment, or of a span that an earlier version has indexed. */
type FoundText = { readonly day: number; readonly span_no: number } & (
  | { readonly trace_no: number; readonly segment: number }
  | { readonly trace_no: null; readonly segment: null }
);

async function findTexts(
  runner: SqlRunner,
  { whole, parts }: SearchQuery,
): Promise<readonly FoundText[] | "many"> {
  const values: SqlValue[] = [FEW + 1];
  const value = (one: SqlValue) => `$${values.push(one)}`;
  const inList = (query: ListQuery) =>
    `${value(query.words)}::tsquery, ${value(query.phrase)}::text`;
  const inVector = (query: ListQuery) => `${value(query.places)}::tsquery`;
  const inParts = [
    parts.map((part) => `SELECT * FROM agate.long_lists_with(${inList(part)})`),
    parts.map((part) => `SELECT * FROM agate.long_texts_with(${inVector(part)})`),
  ];
  const found = await runner.query<FoundText>(
    `SELECT day, span_no, trace_no, segment FROM (
       SELECT * FROM agate.lists_with(${inList(whole)}, $1::integer)
       UNION ALL SELECT * FROM agate.texts_with(${inVector(whole)}, $1::integer)
       UNION ALL (${inParts.map((every) => every.join(" INTERSECT ")).join(") UNION ALL (")})
     ) AS found LIMIT $1::integer`,
    values,
  );
  return found.length > FEW ? "many" : found;
}

/** The numbers of the traces that some rows of words belong to. */
async function tracesOf(runner: SqlRunner, found: readonly FoundText[]): Promise<number[]> {
  const traceNos = new Set(found.flatMap(({ trace_no }) => (trace_no === null ? [] : [trace_no])));
  const earlier = found.filter(({ trace_no }) => trace_no === null);
  if (earlier.length > 0) {
    const rows = await runner.query<{ readonly trace_no: number }>(
      `SELECT s.trace_no FROM unnest($1::date[], $2::bigint[]) AS f (day, span_no)
       CROSS JOIN LATERAL (SELECT trace_no FROM agate.spans
         WHERE day = f.day AND span_no = f.span_no OFFSET 0) AS s`,
      [earlier.map(({ day }) => dateText(day)), earlier.map(({ span_no }) => span_no)],
    );
    for (const { trace_no } of rows) traceNos.add(trace_no);
  }
  return [...traceNos];
}

/** The spans that are indexed together with rows of words. */
async function rangesOf(runner: SqlRunner, found: readonly FoundText[]): Promise<SpanRange[]> {
  const ranges: SpanRange[] = [];
  const groups = new Map<string, readonly [day: number, traceNo: number, first: number]>();
  for (const { day, span_no, trace_no, segment } of found) {
    if (trace_no === null) ranges.push({ day, first: span_no, count: 1 });
    else groups.set(`${trace_no} ${groupOf(segment)}`, [day, trace_no, groupOf(segment)]);
  }
  if (groups.size === 0) return ranges;
  const places = [...groups.values()];
  const segments = await runner.query<SpanRange>(
    `SELECT s.day, s.first_span AS first, s.spans AS count
     FROM unnest($1::date[], $2::bigint[], $3::integer[]) AS f (day, trace_no, segment)
     CROSS JOIN LATERAL (SELECT day, first_span, spans FROM agate.segments
       WHERE day = f.day AND trace_no = f.trace_no
         AND segment >= f.segment AND segment < f.segment + ${SEGMENTS_PER_GROUP} OFFSET 0) AS s`,
    [
      places.map(([day]) => dateText(day)),
      places.map(([, traceNo]) => traceNo),
      places.map(([, , first]) => first),
    ],
  );
  return [...ranges, ...segments];
}

async function spansOfFailed(runner: SqlRunner, project: string): Promise<SpanSearch | null> {
  const ranges = await runner.query<SpanRange>(
    `SELECT s.day, s.first_span AS first, s.spans AS count FROM agate.traces t
     CROSS JOIN LATERAL (SELECT day, first_span, spans FROM agate.segments
       WHERE day = t.day AND trace_no = t.trace_no OFFSET 0) AS s
     WHERE t.project = $1 AND t.failed_spans > 0 LIMIT $2`,
    [project, FEW + 1],
  );
  const spans = ranges.reduce((sum, { count }) => sum + count, 0);
  return spans > FEW ? null : { kind: "few", ranges };
}
