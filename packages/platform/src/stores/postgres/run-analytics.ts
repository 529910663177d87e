import type { AnalyticsRequest, AnalyticsResult, EarliestRequest } from "../span-query.ts";
import type { AnalyticsCell, GroupCell, GroupKey } from "../summary/analytics-cells.ts";
import { groupsOf, NOTHING_FOUND, totalOf } from "../summary/analytics-cells.ts";
import { whereTraces } from "./filter-sql.ts";
import { planTraces } from "./plan-search.ts";
import type { SpanDatabase, SqlRunner, SqlValue } from "./span-database.ts";

export const ONE_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/** All of a cell but its bucket. Costs are added as decimals: thousands of small ones show it. */
const CELL_COLUMNS = `count(*) AS count, count(*) FILTER (WHERE t.status = 'ERROR') AS errors,
  sum(t.cost::numeric)::float8 AS cost, count(t.cost) AS costed, count(t.total_tokens) AS metered,
  count(t.cost) FILTER (WHERE t.unpriced_calls = 0) AS priced,
  (sum(t.cost::numeric) FILTER (WHERE t.unpriced_calls = 0))::float8 AS "pricedCost",
  coalesce(sum(t.input_tokens), 0) AS input, coalesce(sum(t.output_tokens), 0) AS output,
  coalesce(sum(t.total_tokens), 0) AS total,
  coalesce(array_agg(t.latency) FILTER (WHERE t.latency IS NOT NULL), '{}') AS latencies`;

/** Adds traces up by time, and by a column where one is asked for; all statements see the same. */
export function runAnalytics(
  database: SpanDatabase,
  request: AnalyticsRequest,
  signal: AbortSignal,
): Promise<AnalyticsResult> {
  const run = (transaction: SqlRunner) => analytics(transaction, request);
  return database.transaction(run, ONE_SNAPSHOT, signal);
}

/** When the first of the traces started; null where there is none. */
export function earliestStart(
  database: SpanDatabase,
  { project, filter }: EarliestRequest,
  signal?: AbortSignal,
): Promise<number | null> {
  const run = async (runner: SqlRunner) => {
    const search = await planTraces(runner, project, filter.text);
    if (search === undefined) return null;
    const where = whereTraces(project, filter, search);
    const [first] = await runner.query<{ readonly start: number }>(
      `SELECT t.start FROM agate.traces t WHERE ${where.text} ORDER BY t.start LIMIT 1`,
      where.values,
    );
    return first?.start ?? null;
  };
  return database.transaction(run, ONE_SNAPSHOT, signal);
}

async function analytics(runner: SqlRunner, request: AnalyticsRequest): Promise<AnalyticsResult> {
  const { project, filter, from, to, interval, groups } = request;
  const search = await planTraces(runner, project, filter.text);
  if (search === undefined) return NOTHING_FOUND;
  const where = whereTraces(project, filter, search);
  const first = `${where.value(from)}::bigint`;
  where.add(`t.start >= ${first} AND t.start < ${where.value(to)}`);
  const scope = `FROM agate.traces t WHERE ${where.text}`;
  const bucketBy = (step: string) => `(t.start - ${first}) / ${step}::bigint AS bucket`;
  if (groups === null) {
    const cells = await runner.query<AnalyticsCell>(
      `SELECT ${bucketBy(where.value(interval))}, ${CELL_COLUMNS} ${scope} GROUP BY 1`,
      where.values,
    );
    return totalOf(cells, request);
  }
  const column = `t.${groups.by}`;
  const largest = await largestGroups(runner, column, groups.limit, scope, where.values);
  // Of a million users only those that are shown get cells of their own.
  const keys = where.value(largest.keys.filter((key) => key !== null));
  const cells = await runner.query<GroupCell>(
    `SELECT CASE WHEN ${column} = ANY(${keys}::text[]) THEN ${column} END AS key,
       ${column} IS NULL AS "hasNone", ${bucketBy(where.value(interval))}, ${CELL_COLUMNS}
     ${scope} GROUP BY 1, 2, 3`,
    where.values,
  );
  return groupsOf(cells, request, largest);
}

async function largestGroups(
  runner: SqlRunner,
  column: string,
  limit: number,
  scope: string,
  values: readonly SqlValue[],
): Promise<{ keys: GroupKey[]; leftOut: number }> {
  const rows = await runner.query<{ key: GroupKey; groups: number }>(
    `SELECT ${column} AS key, count(*) OVER () AS groups ${scope}
     GROUP BY 1 ORDER BY count(*) DESC, ${column} IS NULL, ${column} LIMIT $${values.length + 1}`,
    [...values, limit],
  );
  return { keys: rows.map(({ key }) => key), leftOut: (rows[0]?.groups ?? 0) - rows.length };
}
