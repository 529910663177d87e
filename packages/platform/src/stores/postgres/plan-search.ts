import { distinctTerms } from "@agate/spans/search";
import type { SpanFilter } from "../span-query.ts";
import { dateText } from "./day.ts";
import { MOST_ASKED } from "./filter-sql.ts";
import type { SegmentPlace } from "./read-segments.ts";
import type { SegmentRange, SpanSearch, TraceSearch } from "./search-plan.ts";
import { groupOf, SEGMENTS_PER_GROUP } from "./segment-texts.ts";
import type { SqlRunner, SqlValue } from "./span-database.ts";
import { tracesByRecords } from "./traces-by-records.ts";
import type { ListQuery, SearchQuery } from "./word-lists.ts";
import { toSearchQuery } from "./word-lists.ts";

/** This many rows of words, segments or traces are looked up in some tens of milliseconds. */
const FEW = 10_000;

/**
 * Plans a search for traces: each term by itself, since a trace may have them in different spans. What the index does
 * not know exactly is decided here, by records, as figures of traces have no look at them.
 *
 * @returns undefined when nothing can match: there is no word in the text.
 */
export async function planTraces(
  runner: SqlRunner,
  project: string,
  text: string | undefined,
): Promise<readonly TraceSearch[] | undefined> {
  if (text === undefined) return [];
  const terms = distinctTerms(text);
  if (terms.length === 0) return undefined;
  const searches: TraceSearch[] = [];
  for (const term of terms) {
    const query = toSearchQuery(term);
    if (!query.isExact) {
      const ranges = await rangesOf(runner, await findTexts(runner, query));
      searches.push({
        kind: "few",
        traceNos: await tracesByRecords(runner, project, term, ranges),
      });
      continue;
    }
    const found = await findFewTexts(runner, query);
    searches.push(
      found === "many"
        ? { kind: "many", query }
        : { kind: "few", traceNos: await tracesOf(runner, found) },
    );
  }
  return searches;
}

/**
 * What is asked of the first rows of a list, before it is planned: most searches are for common words, and need nothing
 * else.
 *
 * @returns undefined where the first rows are not found at once by their order, or what is asked of each is much.
 */
export function queriesOfFirst(filter: SpanFilter): readonly SearchQuery[] | undefined {
  const { text, traffic, startedFrom, startedBefore, ...others } = filter;
  const isWalked =
    traffic !== "evaluation" && Object.values(others).every((each) => each === undefined);
  if (text === undefined || !isWalked) return undefined;
  const queries = distinctTerms(text).map(toSearchQuery);
  const isAsked = ({ isExact, parts }: SearchQuery) => isExact && parts.length === 1;
  const isShort = queries.length > 0 && queries.length <= MOST_ASKED && queries.every(isAsked);
  return isShort ? queries : undefined;
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

/** By the term that the fewest segments have; the others are left to a look at the records. */
async function planQueries(
  runner: SqlRunner,
  queries: readonly SearchQuery[],
): Promise<SpanSearch> {
  let fewest: readonly FoundText[] | undefined;
  for (const query of queries) {
    const found = await findFewTexts(runner, query);
    if (found === "many") continue;
    if (fewest === undefined || found.length < fewest.length) fewest = found;
    if (fewest.length === 0) break;
  }
  if (fewest === undefined) return { kind: "many", queries };
  return { kind: "few", ranges: await rangesOf(runner, fewest) };
}

/** A row of words: of a segment, or of a span that an earlier version has indexed. */
type FoundText =
  | (SegmentPlace & { readonly span_no: number })
  | {
      readonly day: number;
      readonly span_no: number;
      readonly trace_no: null;
      readonly segment: null;
    };

function findTexts(runner: SqlRunner, query: SearchQuery): Promise<readonly FoundText[]> {
  const { text, values } = selectTexts(query, null);
  return runner.query<FoundText>(text, values);
}

async function findFewTexts(
  runner: SqlRunner,
  query: SearchQuery,
): Promise<readonly FoundText[] | "many"> {
  const { text, values } = selectTexts(query, FEW + 1);
  // Counted there: to receive 10,000 rows takes several times as long as to find them.
  const rows = await runner.query<FoundText & { readonly found: number }>(
    `WITH found AS MATERIALIZED (${text})
     SELECT found.*, n.found FROM (SELECT count(*) AS found FROM found) AS n LEFT JOIN found ON n.found <= ${FEW}`,
    values,
  );
  const { found = 0 } = rows[0] ?? {};
  if (found === 0) return [];
  return found > FEW ? "many" : rows;
}

/** @param most Null for all of them. */
function selectTexts(
  { whole, parts }: SearchQuery,
  most: number | null,
): { readonly text: string; readonly values: readonly SqlValue[] } {
  const values: SqlValue[] = [most];
  const value = (one: SqlValue) => `$${values.push(one)}`;
  const inList = (query: ListQuery) =>
    `${value(query.words)}::tsquery, ${value(query.phrase)}::text`;
  const inVector = (query: ListQuery) => `${value(query.places)}::tsquery`;
  const inParts = [
    parts.map((part) => `SELECT * FROM agate.long_lists_with(${inList(part)})`),
    parts.map((part) => `SELECT * FROM agate.long_texts_with(${inVector(part)})`),
  ];
  const text = `SELECT day, span_no, trace_no, segment FROM (
      SELECT * FROM agate.lists_with(${inList(whole)}, $1::integer)
      UNION ALL SELECT * FROM agate.texts_with(${inVector(whole)}, $1::integer)
      UNION ALL (${inParts.map((every) => every.join(" INTERSECT ")).join(") UNION ALL (")})
    ) AS found LIMIT $1::integer`;
  return { text, values };
}

/** The numbers of the traces that some rows of words belong to. */
async function tracesOf(runner: SqlRunner, found: readonly FoundText[]): Promise<number[]> {
  return [...new Set((await placesOf(runner, found)).map(({ trace_no }) => trace_no))];
}

/** The segments that are indexed together with rows of words. */
async function rangesOf(runner: SqlRunner, found: readonly FoundText[]): Promise<SegmentRange[]> {
  const ranges = (await placesOf(runner, found)).map(({ day, trace_no, segment }): SegmentRange => {
    return { day, traceNo: trace_no, first: groupOf(segment), count: SEGMENTS_PER_GROUP };
  });
  return [...new Map(ranges.map((range) => [`${range.traceNo} ${range.first}`, range])).values()];
}

/** The segments of rows of words. Those of earlier versions only have the number of their span, which no index has. */
async function placesOf(
  runner: SqlRunner,
  found: readonly FoundText[],
): Promise<readonly SegmentPlace[]> {
  const places = found.filter((row) => row.trace_no !== null);
  const earlier = found.filter((row) => row.trace_no === null);
  if (earlier.length === 0) return places;
  const rows = await runner.query<SegmentPlace>(
    `SELECT day, trace_no, segment FROM agate.spans
     WHERE day = ANY($1::date[]) AND span_no = ANY($2::bigint[])`,
    [
      [...new Set(earlier.map(({ day }) => day))].map(dateText),
      earlier.map(({ span_no }) => span_no),
    ],
  );
  return [...places, ...rows];
}

async function spansOfFailed(runner: SqlRunner, project: string): Promise<SpanSearch | null> {
  const ranges = await runner.query<SegmentRange & { readonly spans: number }>(
    `SELECT day, trace_no AS "traceNo", 0 AS first, segments AS count, spans FROM agate.traces
     WHERE project = $1 AND failed_spans > 0 LIMIT $2`,
    [project, FEW + 1],
  );
  const spans = ranges.reduce((sum, range) => sum + range.spans, 0);
  return spans > FEW ? null : { kind: "few", ranges };
}
