import { withoutNoise } from "@agate/spans/tree";
import type { AnalyticsFigures } from "../span-query.ts";
import { exactSum } from "../summary/exact-sum.ts";
import { percentilesOf } from "../summary/percentiles.ts";
import { collectedNumbers } from "./collect-numbers.ts";

/** The traces of one group that started in one bucket, as {@link CELL_COLUMNS} select them. */
export interface AnalyticsCell {
  readonly bucket: number;
  readonly count: number;
  readonly errors: number;
  readonly cost: number | null;
  readonly input: number;
  readonly output: number;
  readonly total: number;
  readonly latencies: Uint8Array;
}

/** All but the bucket. */
export const CELL_COLUMNS = `count(*) AS count, sum(t.status = 'ERROR') AS errors,
  sum(t.cost) AS cost, coalesce(sum(t.input_tokens), 0) AS input,
  coalesce(sum(t.output_tokens), 0) AS output, coalesce(sum(t.total_tokens), 0) AS total,
  collect_numbers(t.latency) AS latencies`;

/** What is told of the traces of these cells together. */
export function figuresOf(cells: readonly AnalyticsCell[]): AnalyticsFigures {
  const sum = (figure: "count" | "errors" | "input" | "output" | "total") =>
    cells.reduce((before, cell) => before + cell[figure], 0);
  const costs = cells.map(({ cost }) => cost).filter((cost) => cost !== null);
  return {
    count: sum("count"),
    errors: sum("errors"),
    cost: costs.length === 0 ? null : withoutNoise(exactSum(costs)),
    inputTokens: sum("input"),
    outputTokens: sum("output"),
    totalTokens: sum("total"),
    latency: percentilesOf(collectedNumbers(cells.map(({ latencies }) => latencies))),
  };
}
