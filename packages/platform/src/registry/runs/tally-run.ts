import { setImmediate as nextTurn } from "node:timers/promises";
import { RunTally, type TalliedResult } from "@agate/protocol/evaluations";
import { sql } from "kysely";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import type { RunRow } from "./run-rows.ts";

/** How many results are read at a time. */
export const RESULTS_PER_READ = 2000;

/** Some cases of a run that follow each other, by their numbers. */
export interface CaseRange {
  readonly first: number;
  readonly count: number;
}

/**
 * Adds up the results of a run, or of some of its cases, without their outputs: page by page, with a turn
 * of the event loop between them, as a large run takes a second.
 */
export async function tallyRun(
  db: RegistryDatabase,
  run: Pick<RunRow, "key" | "cases" | "spec">,
  { first, count }: CaseRange = { first: 0, count: run.cases },
): Promise<RunTally> {
  const { trials, columns, scorers } = run.spec;
  const tally = new RunTally({
    cases: count,
    trials,
    columns: columns.map(({ name }) => name),
    scorers: scorers.map(({ name }) => name),
  });
  let last: readonly [number, number, number] = [first, -1, -1];
  for (;;) {
    const rows = await db
      .selectFrom("run_results")
      .select(["case_number", "column_number", "trial", "status"])
      .select(["latency_ms", "cost", "judge_cost", "outcomes"])
      .where("run_key", "=", run.key)
      .where(sql<boolean>`(case_number, column_number, trial) > (${sql.join(last)})`)
      .where("case_number", "<", first + count)
      .orderBy("case_number")
      .orderBy("column_number")
      .orderBy("trial")
      .limit(RESULTS_PER_READ)
      .execute();
    for (const { case_number, column_number: column, trial, ...row } of rows) {
      tally.add(
        { case: case_number - first, column, trial },
        {
          status: row.status,
          latency: row.latency_ms,
          cost: row.cost,
          judgeCost: row.judge_cost,
          outcomes: JSON.parse(row.outcomes) as TalliedResult["outcomes"],
        },
      );
    }
    const end = rows.at(-1);
    if (end === undefined || rows.length < RESULTS_PER_READ) return tally;
    last = [end.case_number, end.column_number, end.trial];
    await nextTurn();
  }
}
