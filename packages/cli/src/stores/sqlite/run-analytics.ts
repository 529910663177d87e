import type { DatabaseSync } from "node:sqlite";
import type { AnalyticsBucket, AnalyticsRequest, AnalyticsResult } from "../span-query.ts";
import type { AnalyticsCell } from "./analytics-cell.ts";
import { CELL_COLUMNS, figuresOf } from "./analytics-cell.ts";
import type { Sql } from "./list-sql.ts";

type GroupKey = string | null;

/** A cell, and whose it is: `key` is null for traces without one, and for all that are not shown. */
interface GroupCell extends AnalyticsCell {
  readonly key: GroupKey;
  readonly hasNone: 0 | 1;
}

/**
 * Adds traces up by time, and by a column where one is asked for. SQLite makes a cell for every
 * group and bucket; whatever is told is made from these, so that each trace is read once for it and
 * the percentiles stay exact.
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
  const bucketsOf = (cells: readonly AnalyticsCell[]) => bucketsFrom(cells, from, interval);
  // Both statements must see the same traces.
  db.exec("BEGIN");
  try {
    const bucket = `(t.start - ${from}) / ${interval}`;
    if (groups === null) {
      const cells = db
        .prepare(`SELECT ${bucket} AS bucket, ${CELL_COLUMNS} ${scope.text} GROUP BY 1`)
        .all(...scope.values) as unknown as AnalyticsCell[];
      return {
        total: figuresOf(cells),
        buckets: bucketsOf(cells),
        groups: [],
        groupsLeftOut: 0,
      };
    }
    const column = `t.${groups.by}`;
    const { keys, leftOut } = largestGroups(db, column, groups.limit, scope);
    // Of a million users only those that are shown get cells of their own.
    const cells = db
      .prepare(
        `SELECT iif(${column} IN (${keys.map(() => "?").join()}), ${column}, NULL) AS key,
           ${column} IS NULL AS hasNone, ${bucket} AS bucket, ${CELL_COLUMNS}
         ${scope.text} GROUP BY 1, 2, 3`,
      )
      .all(...keys, ...scope.values) as unknown as GroupCell[];
    const byKey = Map.groupBy(cells, ({ key, hasNone }) => (hasNone ? null : (key ?? undefined)));
    return {
      total: figuresOf(cells),
      buckets: bucketsOf(cells),
      groups: keys.map((key) => {
        const own = byKey.get(key) ?? [];
        return { key, ...figuresOf(own), buckets: bucketsOf(own) };
      }),
      groupsLeftOut: leftOut,
    };
  } finally {
    // A failure that ended it already must not be hidden by one of this.
    if (db.isTransaction) db.exec("COMMIT");
  }
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

function bucketsFrom(
  cells: readonly AnalyticsCell[],
  from: number,
  interval: number,
): AnalyticsBucket[] {
  return [...Map.groupBy(cells, ({ bucket }) => bucket)]
    .sort(([a], [b]) => a - b)
    .map(([bucket, own]) => ({ start: from + bucket * interval, ...figuresOf(own) }));
}
