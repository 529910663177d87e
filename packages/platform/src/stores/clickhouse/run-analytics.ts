import type {
  AnalyticsRequest,
  AnalyticsResult,
  EarliestRequest,
  SpanFilter,
} from "../span-query.ts";
import type { AnalyticsCell, GroupCell } from "../summary/analytics-cells.ts";
import { groupsOf, NOTHING_FOUND, totalOf } from "../summary/analytics-cells.ts";
import type { ClickHouseSession, Parameters } from "./clickhouse-session.ts";
import { LONG_QUERY_SETTINGS } from "./clickhouse-session.ts";
import { whereEachTerm, whereFilter } from "./filter-sql.ts";

const CELL = `count() AS count, countIf(status = 'ERROR') AS errors, sumKahan(cost) AS costs,
  count(cost) AS costed, count(total_tokens) AS metered, countIf(cost, unpriced_calls = 0) AS priced,
  sumKahanIf(cost, unpriced_calls = 0) AS priced_costs,
  coalesce(sum(input_tokens), 0) AS input, coalesce(sum(output_tokens), 0) AS output,
  coalesce(sum(total_tokens), 0) AS total, groupArray(latency) AS latencies`;

/** Cells of several groups together. */
const JOINED_CELL = `sum(count), sum(errors), sumKahan(costs), sum(costed), sum(metered),
  sum(priced), sumKahan(priced_costs), sum(input), sum(output), sum(total),
  groupArrayArray(latencies)`;

type CellRow = [
  bucket: number,
  count: number,
  errors: number,
  cost: number | null,
  costed: number,
  metered: number,
  priced: number,
  pricedCost: number | null,
  input: number,
  output: number,
  total: number,
  latencies: number[],
];

/** A place in the order of groups, from 1; beyond the limit, all others. */
type GroupCellRow = [place: number, groups: number, key: string | null, ...CellRow];

/**
 * Adds traces up by time, and by a column where one is asked for. ClickHouse makes a cell for every
 * group and bucket, in one statement, so that all of them are of the same moment.
 */
export async function runAnalytics(
  session: ClickHouseSession,
  request: AnalyticsRequest,
): Promise<AnalyticsResult> {
  const { project, filter, from, to, interval, groups } = request;
  const scope = tracesIn(session, project, filter, { from, to });
  if (scope === undefined) return NOTHING_FOUND;
  const { traces } = scope;
  const parameters = { ...scope.parameters, interval };
  const bucket = "intDiv(start - {from:Int64}, {interval:Int64}) AS bucket";
  if (groups === null) {
    const rows = await session.rows<CellRow>(
      `SELECT ${bucket}, ${CELL} FROM ${traces} GROUP BY bucket`,
      parameters,
      LONG_QUERY_SETTINGS,
    );
    return totalOf(rows.map(cellOf), request);
  }
  const rows = await session.rows<GroupCellRow>(
    `WITH
       cells AS (SELECT ${groups.by} AS key, ${bucket}, ${CELL} FROM ${traces} GROUP BY key, bucket),
       counted AS (SELECT *, sum(count) OVER (PARTITION BY key) AS size FROM cells),
       ranked AS (SELECT *, dense_rank() OVER (ORDER BY size DESC, key IS NULL, key) AS rank FROM counted),
       placed AS (SELECT *, least(rank, {limit:UInt64} + 1) AS place, max(rank) OVER () AS groups FROM ranked)
     SELECT place, any(groups), if(place > {limit:UInt64}, NULL, any(key)), bucket, ${JOINED_CELL}
     FROM placed GROUP BY place, bucket ORDER BY place`,
    { ...parameters, limit: groups.limit },
    LONG_QUERY_SETTINGS,
  );
  const shown = new Map(
    rows.filter(([place]) => place <= groups.limit).map(([place, , key]) => [place, key]),
  );
  const cells = rows.map(
    ([place, , key, ...cell]): GroupCell => ({
      ...cellOf(cell),
      key,
      hasNone: key === null && place <= groups.limit,
    }),
  );
  const leftOut = (rows[0]?.[1] ?? 0) - shown.size;
  return groupsOf(cells, request, { keys: [...shown.values()], leftOut });
}

/** When the first of the traces started; null where there is none. */
export async function earliestStart(
  session: ClickHouseSession,
  { project, filter }: EarliestRequest,
): Promise<number | null> {
  // A span may have started before 1970.
  const range = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
  const scope = tracesIn(session, project, filter, range);
  if (scope === undefined) return null;
  const rows = await session.rows<[number]>(
    `SELECT start FROM ${scope.traces} ORDER BY start LIMIT 1`,
    scope.parameters,
    LONG_QUERY_SETTINGS,
  );
  return rows[0]?.[0] ?? null;
}

/** The traces that a filter finds, as a table and its conditions; undefined where nothing can match. */
export function tracesIn(
  session: ClickHouseSession,
  project: string,
  filter: SpanFilter,
  range: { readonly from: number; readonly to: number },
) {
  const terms = filter.text === undefined ? [] : whereEachTerm(filter.text);
  if (terms === undefined) return undefined;
  const where = whereFilter(session, "traces", filter);
  // A trace has several rows while it grows: the newest one counts, wherever it is.
  const traces = `(
    SELECT * FROM ${session.table("traces")}
    WHERE project = {project:String} AND start >= {from:Int64} AND start < {to:Int64}
    ORDER BY start, trace_id, version DESC, moved LIMIT 1 BY start, trace_id
  ) WHERE moved = 0 AND ${where.text}
    ${terms.map(({ text }) => `AND trace_id IN (${matches(session, text)})`).join(" ")}`;
  const parameters: Parameters = Object.assign(
    { project, ...range, ...where.parameters },
    ...terms.map((term) => term.parameters),
  );
  return { traces, parameters };
}

function cellOf([
  bucket,
  count,
  errors,
  cost,
  costed,
  metered,
  priced,
  pricedCost,
  input,
  output,
  total,
  latencies,
]: CellRow): AnalyticsCell {
  return {
    bucket,
    count,
    errors,
    cost,
    costed,
    metered,
    priced,
    pricedCost,
    input,
    output,
    total,
    latencies: Float64Array.from(latencies),
  };
}

/** Traces in which a text is found in the last write of a span. */
function matches(session: ClickHouseSession, found: string): string {
  const spans = `FROM ${session.table("spans_by_start")} WHERE project = {project:String} AND ${found}`;
  return `SELECT trace_id ${spans} AND (trace_id, span_id, version) IN (
    SELECT trace_id, span_id, max(version) FROM ${session.table("spans")}
    WHERE project = {project:String} AND trace_id IN (SELECT trace_id ${spans})
    GROUP BY trace_id, span_id
  )`;
}
