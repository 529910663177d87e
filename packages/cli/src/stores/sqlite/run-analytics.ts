import type { DatabaseSync } from "node:sqlite";
import type { AnalyticsBucket, AnalyticsRequest, AnalyticsResult } from "../span-query.ts";
import type { Sql } from "./list-sql.ts";
import { TraceSum } from "./trace-sum.ts";

type GroupKey = string | null;
/** By number of the bucket. */
type Cells = Map<number, TraceSum>;

type TraceRow = readonly [
  bucket: number,
  isError: 0 | 1,
  cost: number | null,
  inputTokens: number | null,
  outputTokens: number | null,
  totalTokens: number | null,
  latency: number | null,
  key: GroupKey,
];

/**
 * Adds up traces by time, and by a column where one is asked for. Every trace is read once and put
 * into the cell of its group and bucket; whatever else is told is made from the cells. SQLite could
 * group them itself, but an exact percentile takes all latencies anyway, and handing them over
 * ungrouped takes no longer.
 *
 * @param where Conditions on `traces t`.
 */
export function runAnalytics(
  db: DatabaseSync,
  { from, to, interval, groups }: AnalyticsRequest,
  where: Sql,
): AnalyticsResult {
  const scope: Sql = {
    text: `FROM traces t WHERE ${where.text} AND t.start >= ? AND t.start < ?`,
    values: [...where.values, from, to],
  };
  // Both statements see the same traces.
  db.exec("BEGIN");
  try {
    const column = groups === null ? "NULL" : `t.${groups.by}`;
    const largest = groups === null ? NO_GROUPS : largestGroups(db, column, groups.limit, scope);
    const cells = new Map<GroupKey, Cells>(largest.keys.map((key) => [key, new Map()]));
    const others: Cells = new Map();
    const rows = db.prepare(
      `SELECT (t.start - CAST(? AS INTEGER)) / CAST(? AS INTEGER), t.status = 'ERROR', t.cost,
         t.input_tokens, t.output_tokens, t.total_tokens, t.latency, ${column} ${scope.text}`,
    );
    rows.setReturnArrays(true);
    const found = rows.iterate(from, interval, ...scope.values);
    for (const row of found as unknown as Iterable<TraceRow>) {
      addTrace(cells.get(row[7]) ?? others, row);
    }
    const bucketsOf = (parts: readonly Cells[]) => buckets(parts, from, interval);
    const all = [...cells.values(), others];
    return {
      total: figuresOf(all),
      buckets: bucketsOf(all),
      groups: [...cells].map(([key, group]) => ({
        key,
        ...figuresOf([group]),
        buckets: bucketsOf([group]),
      })),
      groupsLeftOut: largest.leftOut,
    };
  } finally {
    db.exec("COMMIT");
  }
}

interface LargestGroups {
  readonly keys: readonly GroupKey[];
  readonly leftOut: number;
}

const NO_GROUPS: LargestGroups = { keys: [], leftOut: 0 };

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

function addTrace(cells: Cells, row: TraceRow): void {
  const [bucket, isError, cost, inputTokens, outputTokens, totalTokens, latency] = row;
  let sum = cells.get(bucket);
  if (sum === undefined) {
    sum = new TraceSum();
    cells.set(bucket, sum);
  }
  sum.add({ isError: isError === 1, cost, inputTokens, outputTokens, totalTokens, latency });
}

function figuresOf(parts: readonly Cells[]) {
  return TraceSum.figuresOf(parts.flatMap((cells) => [...cells.values()]));
}

function buckets(parts: readonly Cells[], from: number, interval: number): AnalyticsBucket[] {
  const byBucket = new Map<number, TraceSum[]>();
  for (const cells of parts) {
    for (const [bucket, sum] of cells) {
      const sums = byBucket.get(bucket);
      if (sums === undefined) byBucket.set(bucket, [sum]);
      else sums.push(sum);
    }
  }
  return [...byBucket]
    .sort(([a], [b]) => a - b)
    .map(([bucket, sums]) => ({ start: from + bucket * interval, ...TraceSum.figuresOf(sums) }));
}
