import type { DatabaseSync } from "node:sqlite";
import type { AnalyticsRequest, AnalyticsResult } from "../span-query.ts";
import type { AnalyticsCell, GroupKey } from "../summary/analytics-cells.ts";
import { groupsOf, totalOf } from "../summary/analytics-cells.ts";
import type { Sql } from "./sql.ts";

/** All of a cell but the bucket. */
const CELL_COLUMNS = `count(*) AS count, sum(t.status = 'ERROR') AS errors,
  sum(t.cost) AS cost, count(t.cost) AS costed, count(t.total_tokens) AS metered,
  count(iif(t.unpriced_calls = 0, t.cost, NULL)) AS priced,
  sum(iif(t.unpriced_calls = 0, t.cost, NULL)) AS pricedCost,
  coalesce(sum(t.input_tokens), 0) AS input, coalesce(sum(t.output_tokens), 0) AS output,
  coalesce(sum(t.total_tokens), 0) AS total,
  collect_numbers(t.latency) AS latencies`;

interface CellRow extends Omit<AnalyticsCell, "latencies"> {
  readonly latencies: Uint8Array;
}

interface GroupCellRow extends CellRow {
  readonly key: GroupKey;
  readonly hasNone: 0 | 1;
}

/**
 * Adds traces up by time, and by a column where one is asked for: SQLite makes a cell for every
 * group and bucket. Runs in a transaction: all statements must see the same traces.
 *
 * @param where Conditions on `traces t`.
 */
export function runAnalytics(
  db: DatabaseSync,
  request: AnalyticsRequest,
  where: Sql,
): AnalyticsResult {
  const { from, to, interval, groups } = request;
  const scope: Sql = {
    text: `FROM traces t WHERE ${where.text} AND t.start >= ? AND t.start < ?`,
    values: [...where.values, from, to],
  };
  const bucket = `(t.start - ${from}) / ${interval}`;
  if (groups === null) {
    const rows = db
      .prepare(`SELECT ${bucket} AS bucket, ${CELL_COLUMNS} ${scope.text} GROUP BY 1`)
      .all(...scope.values) as unknown as CellRow[];
    return totalOf(rows.map(cellOf), request);
  }
  const column = `t.${groups.by}`;
  const shown = largestGroups(db, column, groups.limit, scope);
  // Of a million users only those that are shown get cells of their own.
  const rows = db
    .prepare(
      `SELECT iif(${column} IN (${shown.keys.map(() => "?").join()}), ${column}, NULL) AS key,
         ${column} IS NULL AS hasNone, ${bucket} AS bucket, ${CELL_COLUMNS}
       ${scope.text} GROUP BY 1, 2, 3`,
    )
    .all(...shown.keys, ...scope.values) as unknown as GroupCellRow[];
  const cells = rows.map((row) => ({ ...cellOf(row), key: row.key, hasNone: row.hasNone === 1 }));
  return groupsOf(cells, request, shown);
}

/** When the first of the traces started; null where there is none. */
export function earliestStart(db: DatabaseSync, where: Sql): number | null {
  const first = db
    .prepare(`SELECT t.start FROM traces t WHERE ${where.text} ORDER BY t.start LIMIT 1`)
    .get(...where.values) as { readonly start: number } | undefined;
  return first?.start ?? null;
}

function cellOf(row: CellRow): AnalyticsCell {
  return { ...row, latencies: collectedNumbers(row.latencies) };
}

interface LargestGroups {
  readonly keys: readonly GroupKey[];
  readonly leftOut: number;
}

function largestGroups(
  db: DatabaseSync,
  column: string,
  limit: number,
  { text, values }: Sql,
): LargestGroups {
  const rows = db
    .prepare(
      `SELECT ${column} AS key, count(*) OVER () AS groups ${text}
       GROUP BY 1 ORDER BY count(*) DESC, ${column} IS NULL, ${column} LIMIT ?`,
    )
    .all(...values, limit) as { key: GroupKey; groups: number }[];
  return { keys: rows.map(({ key }) => key), leftOut: (rows[0]?.groups ?? 0) - rows.length };
}

/** Adds the SQL aggregate `collect_numbers(number)`: those that are not null, as a blob of doubles. */
export function registerCollectNumbers(db: DatabaseSync): void {
  db.aggregate("collect_numbers", {
    deterministic: true,
    start: () => [] as unknown as null,
    step: (numbers: unknown, value: unknown) => {
      if (typeof value === "number") (numbers as number[]).push(value);
      return numbers as null;
    },
    result: (numbers: unknown) => new Uint8Array(new Float64Array(numbers as number[]).buffer),
  });
}

/** The numbers in such a blob. */
function collectedNumbers(blob: Uint8Array): Float64Array<ArrayBuffer> {
  // Copied: SQLite's bytes may lie where no number can begin.
  return new Float64Array(Uint8Array.from(blob).buffer);
}
