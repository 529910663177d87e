import type { RunScore } from "@agate/protocol";
import { sql } from "kysely";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import { nameOf } from "../names.ts";
import type { Page, PageRequest } from "../paging.ts";
import type { Applications } from "../registry.ts";
import type { RegistryContext } from "../registry-context.ts";
import { inTransaction, pageOf, rowsFor } from "../registry-context.ts";
import type { RegistryOutcome } from "../registry-outcome.ts";
import { done } from "../registry-outcome.ts";
import { addCases, isCaseId } from "./add-cases.ts";
import { addResults } from "./add-results.ts";
import { createRun, earlierRun } from "./create-run.ts";
import { endRun } from "./end-run.ts";
import { readCases, readResults } from "./read-run.ts";
import { leaseItems, releaseLease, renewLease } from "./run-leases.ts";
import type {
  ExchangedItems,
  ExchangeRequest,
  OpenRun,
  RunFilter,
  RunRef,
  Runs,
} from "./run-registry.ts";
import {
  findRun,
  itemsPerCase,
  lockRunning,
  parsedRow,
  type RunRow,
  type RunSpec,
  runDocument,
  selectRuns,
  storedFigures,
} from "./run-rows.ts";
import { scoresOfRow } from "./scores-of-row.ts";
import { tallyRun } from "./tally-run.ts";

export function createRuns(
  context: RegistryContext,
  applications: Pick<Applications, "ensure">,
): Runs {
  const { db } = context;
  return {
    create: (project, run, by) => createRun(context, applications, project, run, by),
    list: async (project, filter, page) => done(await listRuns(db, project, filter, page)),
    async get(ref) {
      const found = await findRun(db, ref);
      return found.kind === "refused" ? found : done(runDocument(found.value));
    },
    async report(ref) {
      const found = await findRun(db, ref);
      if (found.kind === "refused") return found;
      const figures = storedFigures(found.value) ?? (await tallyRun(db, found.value)).figures();
      return done({ ...runDocument(found.value), figures });
    },
    earlier: (ref, asked) => earlierRun(db, ref, asked),
    toCarryOut: () => runsToCarryOut(context),
    addCases: (ref, cases) => addCases(context, ref, cases),
    async addResults(ref, results) {
      const outcome = await inRun(context, ref, (tx, run) => addResults(tx, context, run, results));
      return outcome.kind === "refused" ? outcome : done(outcome.value.results);
    },
    results: (ref, filter, page) => readResults(db, ref, filter, page),
    cases: (ref, filter, page) => readCases(db, ref, filter, page),
    end: (ref, ending) => endRun(context, ref, ending),
    async delete(ref) {
      const found = await findRun(db, ref);
      if (found.kind === "refused") return found;
      await deleteRun(context, found.value);
      return done(runDocument(found.value));
    },
    purge: (project, row) => purgeRow(context, project, row),
    scoresOfRow: (project, row) => scoresOfRow(db, project, row),
    lease: (ref, asked) =>
      inRun(context, ref, async (tx, run) => done(await leaseItems(tx, context, run, asked))),
    exchange: (ref, asked) => inRun(context, ref, (tx, run) => exchange(tx, context, run, asked)),
    renew: (ref, lease) => renewLease(context, ref, lease),
    release: (ref, token) => releaseLease(context, ref, token),
  };
}

/** Runs work in one transaction that locks a run which has not ended. */
function inRun<Value>(
  context: RegistryContext,
  ref: RunRef,
  work: (tx: RegistryDatabase, run: RunRow) => Promise<RegistryOutcome<Value>>,
): Promise<RegistryOutcome<Value>> {
  return inTransaction(context, async (tx) => {
    const locked = await lockRunning(tx, context, ref);
    return locked.kind === "refused" ? locked : work(tx, locked.value);
  });
}

async function exchange(
  tx: RegistryDatabase,
  context: RegistryContext,
  run: RunRow,
  { results, lease }: ExchangeRequest,
): Promise<RegistryOutcome<ExchangedItems>> {
  const added = await addResults(tx, context, run, results);
  if (added.kind === "refused") return added;
  const leased = await leaseItems(tx, context, added.value.run, lease);
  return done({ kept: added.value.results.kept, lease: leased });
}

async function runsToCarryOut({
  db,
  now,
}: Pick<RegistryContext, "db" | "now">): Promise<readonly OpenRun[]> {
  const rows = await db
    .selectFrom("runs")
    .select(["project_id", "id", "spec", "results"])
    .select((eb) =>
      eb
        .selectFrom("run_workers")
        .select(({ fn }) => fn.countAll().as("count"))
        .whereRef("run_workers.run_key", "=", "runs.key")
        .where("expires_at", ">", now())
        .as("workers"),
    )
    // Written out, so that a planner uses the index of just these.
    .where("status", "=", sql.lit("running"))
    .where("runner", "=", sql.lit("platform"))
    .orderBy("started_at")
    .execute();
  return rows.flatMap(({ project_id: project, id: run, spec: text, results, workers }) => {
    const { plan, ...spec } = JSON.parse(text) as RunSpec;
    if (plan === undefined) return [];
    const left = plan.cases * itemsPerCase({ spec }) - results;
    return [{ project, run, workers: Number(workers), left, concurrency: plan.concurrency }];
  });
}

async function listRuns(
  db: RegistryDatabase,
  project: string,
  { application, evaluation, status }: RunFilter,
  page: PageRequest,
): Promise<Page<ReturnType<typeof runDocument>>> {
  const { limit, below } = rowsFor(page);
  let query = selectRuns(db)
    .where("runs.project_id", "=", project)
    .where("runs.number", "<", below)
    .orderBy("runs.number", "desc")
    .limit(limit);
  if (application !== null) {
    const { column, value } = nameOf(application);
    query = query.where(`applications.${column}`, "=", value);
  }
  if (evaluation !== null) query = query.where("runs.evaluation", "=", nameOf(evaluation).value);
  if (status !== null) query = query.where("runs.status", "=", status);
  return pageOf(await query.execute(), page, (row) => runDocument(parsedRow(row)));
}

/** Results that are deleted in one transaction, which blocks all others. */
const CASES_PER_DELETE = 1000;

/** Should it break off, the run is still there, to be deleted again. */
async function deleteRun(context: RegistryContext, { key, cases }: RunRow): Promise<void> {
  for (let first = 0; first < cases; first += CASES_PER_DELETE) {
    await inTransaction(context, async (tx) => {
      await tx
        .deleteFrom("run_results")
        .where("run_key", "=", key)
        .where("case_number", "<", first + CASES_PER_DELETE)
        .execute();
      return done(null);
    });
  }
  await inTransaction(context, async (tx) => {
    await tx.deleteFrom("runs").where("key", "=", key).execute();
    return done(null);
  });
}

/** Empties a row of a test set in all runs. */
export async function purgeRow(
  context: RegistryContext,
  project: string,
  { testset, row }: { readonly testset: string; readonly row: string },
): Promise<number> {
  if (!isCaseId(row)) return 0;
  const cases = await context.db
    .selectFrom("run_cases")
    .innerJoin("runs", "runs.key", "run_cases.run_key")
    .select(["run_cases.run_key", "run_cases.number"])
    .where("runs.project_id", "=", project)
    .where("runs.testset_name", "=", testset)
    .where("run_cases.id", "=", row)
    .execute();
  for (const found of cases) {
    await inTransaction(context, async (tx) => {
      await purgeCase(tx, found);
      return done(null);
    });
  }
  return cases.length;
}

async function purgeCase(
  tx: RegistryDatabase,
  { run_key, number }: { readonly run_key: string; readonly number: number },
): Promise<void> {
  await tx
    .updateTable("run_cases")
    .set({ content: null })
    .where("run_key", "=", run_key)
    .where("number", "=", number)
    .execute();
  const results = await tx
    .selectFrom("run_results")
    .select(["column_number", "trial", "scores"])
    .where("run_key", "=", run_key)
    .where("case_number", "=", number)
    .execute();
  for (const { column_number, trial, scores } of results) {
    await tx
      .updateTable("run_results")
      .set({ output: null, is_output_cut: 0, error: null, scores: withoutTexts(scores) })
      .where("run_key", "=", run_key)
      .where("case_number", "=", number)
      .where("column_number", "=", column_number)
      .where("trial", "=", trial)
      .execute();
  }
}

/** Explanations quote what they explain; labels and values do not. */
function withoutTexts(scores: string): string {
  const all = JSON.parse(scores) as RunScore[];
  return JSON.stringify(all.map((score) => ({ ...score, explanation: null, error: null })));
}

/** A run that nothing was added to for this long was given up, and keeps no builds. */
const IDLE_MS = 24 * 60 * 60_000;

/** Ids of the builds that an application's running runs call. */
export async function buildsOfRuns(
  { db, now }: Pick<RegistryContext, "db" | "now">,
  applicationId: string,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("runs")
    .select("spec")
    .where("application_id", "=", applicationId)
    .where("status", "=", "running")
    .where("updated_at", ">", new Date(Date.parse(now()) - IDLE_MS).toISOString())
    .execute();
  return rows.flatMap(({ spec }) => {
    const { columns, plan } = JSON.parse(spec) as RunSpec;
    return [...columns, plan].flatMap((each) => each?.build?.id ?? []);
  });
}
