import type { Run, RunColumn, RunFigures, RunPlan, RunScorer, RunTestset } from "@agate/protocol";
import { shownValue } from "@agate/protocol";
import type { Selectable } from "kysely";
import type { RegistryDatabase, RegistryTables } from "../../stores/registry/registry-tables.ts";
import type { RegistryContext } from "../registry-context.ts";
import type { RegistryOutcome, RegistryProblem } from "../registry-outcome.ts";
import { done, refused } from "../registry-outcome.ts";
import type { RunOrder } from "./run-items.ts";
import type { RunRef } from "./run-registry.ts";

/** What a run was created with, and never changes. */
export interface RunSpec {
  readonly testset: RunTestset;
  readonly scorers: readonly RunScorer[];
  readonly scorers_revision: number | null;
  readonly trials: number;
  readonly columns: readonly RunColumn[];
  readonly gate: Run["gate"];
  /** Absent where a client carries it out. */
  readonly plan?: RunPlan | undefined;
  readonly commit: string | null;
  readonly message: string;
  readonly seed: number;
}

type StoredRun = Selectable<RegistryTables["runs"]>;

/** A run's row, with the slug of its application and what is in its JSON. */
export interface RunRow extends Omit<StoredRun, "spec"> {
  readonly application: string;
  readonly spec: RunSpec;
}

/** What a run's id looks like. Others must not reach the database, which may refuse their characters. */
export const RUN_ID = /^[A-Za-z0-9_-]{1,128}$/;

export function selectRuns(db: RegistryDatabase) {
  return db
    .selectFrom("runs")
    .innerJoin("applications", "applications.id", "runs.application_id")
    .selectAll("runs")
    .select("applications.slug as application");
}

export function parsedRow(row: StoredRun & { readonly application: string }): RunRow {
  return { ...row, spec: JSON.parse(row.spec) as RunSpec };
}

export async function findRun(
  db: RegistryDatabase,
  { project, run }: RunRef,
): Promise<RegistryOutcome<RunRow>> {
  const row = RUN_ID.test(run)
    ? await selectRuns(db)
        .where("runs.project_id", "=", project)
        .where("runs.id", "=", run)
        .executeTakeFirst()
    : undefined;
  if (row !== undefined) return done(parsedRow(row));
  const msg = `There is no run ${shownValue(run)}.`;
  return refused({ type: "run_not_found", loc: ["path", "run"], msg });
}

/** Finds a run that has not ended, and locks it until the transaction ends. */
export async function lockRunning(
  tx: RegistryDatabase,
  { now }: Pick<RegistryContext, "now">,
  ref: RunRef,
): Promise<RegistryOutcome<RunRow>> {
  const locked = RUN_ID.test(ref.run)
    ? await tx
        .updateTable("runs")
        .set({ updated_at: now() })
        .where("project_id", "=", ref.project)
        .where("id", "=", ref.run)
        .where("status", "=", "running")
        .returningAll()
        .returning((eb) =>
          eb
            .selectFrom("applications")
            .select("slug")
            .whereRef("applications.id", "=", "runs.application_id")
            .$asScalar()
            .$notNull()
            .as("application"),
        )
        .executeTakeFirst()
    : undefined;
  if (locked !== undefined) return done(parsedRow(locked));
  const found = await findRun(tx, ref);
  return found.kind === "refused" ? found : refused(endedProblem(found.value));
}

export function endedProblem({ id, status }: Pick<RunRow, "id" | "status">): RegistryProblem {
  const how = {
    finished: "is finished",
    stopped: "was stopped",
    failed: "has failed",
    running: "",
  };
  const msg = `Run ${shownValue(id)} ${how[status]}. Create another one.`;
  return { type: "run_ended", loc: ["path", "run"], msg };
}

export function invalid(loc: RegistryProblem["loc"], msg: string): RegistryProblem {
  return { type: "run_invalid", loc: ["body", ...loc], msg };
}

/** How many items a case of the run has. */
export function itemsPerCase({ spec }: Pick<RunRow, "spec">): number {
  return spec.trials * spec.columns.length;
}

export function orderOf({ spec }: Pick<RunRow, "spec">): RunOrder {
  return { trials: spec.trials, columns: spec.columns.length, seed: spec.seed };
}

export function runDocument(row: RunRow): Run {
  const { spec } = row;
  return {
    id: row.id,
    application: row.application,
    evaluation: row.evaluation,
    runner: row.runner,
    status: row.status,
    reason: row.reason,
    testset: spec.testset,
    scorers: spec.scorers,
    scorers_revision: spec.scorers_revision,
    trials: spec.trials,
    columns: spec.columns,
    gate: spec.gate,
    plan: spec.plan ?? null,
    commit: spec.commit,
    message: spec.message,
    seed: spec.seed,
    started_by: row.started_by,
    started_at: row.started_at,
    ended_at: row.ended_at,
    cases: row.cases,
    items: Math.max(row.cases, spec.plan?.cases ?? 0) * itemsPerCase(row),
    results: row.results,
    errors: row.errors,
    costs: {
      calls: row.call_cost,
      unknown_calls: row.unknown_costs,
      judges: row.judge_cost,
      unknown_judges: row.unknown_judge_costs,
    },
    verdict: row.verdict === null ? null : (JSON.parse(row.verdict) as Run["verdict"]),
  };
}

/** Of a run that has ended; null while it is running. */
export function storedFigures({ figures }: Pick<RunRow, "figures">): RunFigures | null {
  return figures === null ? null : (JSON.parse(figures) as RunFigures);
}
