import type { Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * The servers that carry a run out, and an index of the runs that are to be carried out: all servers look
 * for them every few seconds.
 *
 * @param text The type of text that is compared character by character.
 */
export function runWorkers(text: "text" | RawBuilder<unknown>): Migration {
  const up = async (db: Kysely<unknown>) => {
    await db.schema
      .createTable("run_workers")
      .addColumn("run_key", text, (column) =>
        column.notNull().references("runs.key").onDelete("cascade"),
      )
      .addColumn("worker", text, (column) => column.notNull())
      .addColumn("expires_at", text, (column) => column.notNull())
      .addPrimaryKeyConstraint("run_workers_key", ["run_key", "worker"])
      .execute();
    await db.schema
      .createIndex("runs_to_carry_out")
      .on("runs")
      .column("key")
      .where(sql<boolean>`status = 'running' AND runner = 'platform'`)
      .execute();
  };
  return { up };
}
