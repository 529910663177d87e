import type { Kysely, RawBuilder } from "kysely";
import type { Migration } from "kysely/migration";

type Text = "text" | RawBuilder<unknown>;

/**
 * Runs of evaluations: their cases, results, and the leases of what is being called.
 *
 * @param text The type of text that is compared character by character.
 */
export function runs(text: Text): Migration {
  const up = async (db: Kysely<unknown>) => {
    await createRuns(db, text);
    await createCases(db, text);
    await createResults(db, text);
    await createLeases(db, text);
  };
  return { up };
}

async function createRuns(db: Kysely<unknown>, text: Text): Promise<void> {
  await db.schema
    .createTable("runs")
    .addColumn("key", text, (column) => column.primaryKey())
    .addColumn("project_id", text, (column) =>
      column.notNull().references("projects.id").onDelete("cascade"),
    )
    .addColumn("application_id", text, (column) =>
      column.notNull().references("applications.id").onDelete("cascade"),
    )
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("id", text, (column) => column.notNull())
    .addColumn("evaluation", text, (column) => column.notNull())
    .addColumn("runner", text, (column) => column.notNull())
    .addColumn("status", text, (column) => column.notNull())
    .addColumn("reason", text)
    .addColumn("testset_name", text)
    .addColumn("spec", text, (column) => column.notNull())
    .addColumn("request_hash", text, (column) => column.notNull())
    .addColumn("started_by", text, (column) => column.notNull())
    .addColumn("started_at", text, (column) => column.notNull())
    .addColumn("updated_at", text, (column) => column.notNull())
    .addColumn("ended_at", text)
    .addColumn("cases", "integer", (column) => column.notNull())
    .addColumn("results", "integer", (column) => column.notNull())
    .addColumn("errors", "integer", (column) => column.notNull())
    .addColumn("unknown_costs", "integer", (column) => column.notNull())
    .addColumn("call_cost", "double precision", (column) => column.notNull())
    .addColumn("unknown_judge_costs", "integer", (column) => column.notNull())
    .addColumn("judge_cost", "double precision", (column) => column.notNull())
    .addColumn("next_item", "integer", (column) => column.notNull())
    .addColumn("verdict", text)
    .addColumn("figures", text)
    .addUniqueConstraint("runs_by_id", ["project_id", "id"])
    .addUniqueConstraint("runs_by_number", ["project_id", "number"])
    .execute();
  const indexes = { application: "application_id", testset: "testset_name" };
  for (const [name, column] of Object.entries(indexes)) {
    await db.schema.createIndex(`runs_by_${name}`).on("runs").column(column).execute();
  }
}

async function createCases(db: Kysely<unknown>, text: Text): Promise<void> {
  await db.schema
    .createTable("run_cases")
    .addColumn("run_key", text, (column) =>
      column.notNull().references("runs.key").onDelete("cascade"),
    )
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("id", text, (column) => column.notNull())
    .addColumn("content", text)
    .addPrimaryKeyConstraint("run_cases_key", ["run_key", "number"])
    .addUniqueConstraint("run_cases_by_id", ["run_key", "id"])
    .execute();
}

async function createResults(db: Kysely<unknown>, text: Text): Promise<void> {
  await db.schema
    .createTable("run_results")
    .addColumn("run_key", text, (column) =>
      column.notNull().references("runs.key").onDelete("cascade"),
    )
    .addColumn("case_number", "integer", (column) => column.notNull())
    .addColumn("column_number", "integer", (column) => column.notNull())
    .addColumn("trial", "integer", (column) => column.notNull())
    .addColumn("status", text, (column) => column.notNull())
    .addColumn("output", text)
    .addColumn("is_output_cut", "integer", (column) => column.notNull())
    .addColumn("error", text)
    .addColumn("trace_id", text)
    .addColumn("span_id", text)
    .addColumn("latency_ms", "double precision")
    .addColumn("cost", "double precision")
    .addColumn("judge_cost", "double precision")
    .addColumn("scores", text, (column) => column.notNull())
    .addColumn("outcomes", text, (column) => column.notNull())
    .addColumn("created_at", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("run_results_key", [
      "run_key",
      "case_number",
      "column_number",
      "trial",
    ])
    .execute();
}

async function createLeases(db: Kysely<unknown>, text: Text): Promise<void> {
  await db.schema
    .createTable("run_leases")
    .addColumn("run_key", text, (column) =>
      column.notNull().references("runs.key").onDelete("cascade"),
    )
    .addColumn("item", "integer", (column) => column.notNull())
    .addColumn("token", text, (column) => column.notNull())
    .addColumn("expires_at", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("run_leases_key", ["run_key", "item"])
    .execute();
}
