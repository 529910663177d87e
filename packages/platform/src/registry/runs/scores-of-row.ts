import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import { isCaseId } from "./add-cases.ts";
import { scoredItem } from "./add-results.ts";
import type { ScoredItem } from "./run-registry.ts";
import { parsedRow, selectRuns } from "./run-rows.ts";

/** The scored items of a test set's row, run by run: few at a time, however many runs there are. */
export async function* scoresOfRow(
  db: RegistryDatabase,
  project: string,
  { testset, row }: { readonly testset: string; readonly row: string },
): AsyncGenerator<{ readonly run: string; readonly items: readonly ScoredItem[] }> {
  if (!isCaseId(row)) return;
  const cases = await db
    .selectFrom("run_cases")
    .innerJoin("runs", "runs.key", "run_cases.run_key")
    .select(["run_cases.run_key", "run_cases.number"])
    .where("runs.project_id", "=", project)
    .where("runs.testset_name", "=", testset)
    .where("run_cases.id", "=", row)
    .execute();
  for (const { run_key, number } of cases) {
    const found = await selectRuns(db).where("runs.key", "=", run_key).executeTakeFirst();
    if (found === undefined) continue;
    const run = parsedRow(found);
    const results = await db
      .selectFrom("run_results")
      .selectAll()
      .where("run_key", "=", run_key)
      .where("case_number", "=", number)
      .execute();
    const items = results.map((result) => {
      const column = run.spec.columns[result.column_number]?.name ?? "";
      return scoredItem(run, { column, case: row, trial: result.trial }, result);
    });
    yield { run: run.id, items };
  }
}
