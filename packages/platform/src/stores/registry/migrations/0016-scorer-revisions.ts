import type { Kysely, RawBuilder } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Configurations of scorers: one line of revisions for each application.
 *
 * @param text The type of text that is compared character by character.
 */
export function scorerRevisions(text: "text" | RawBuilder<unknown>): Migration {
  const up = async (db: Kysely<unknown>) => {
    await db.schema
      .createTable("scorer_revisions")
      .addColumn("application_id", text, (column) =>
        column.notNull().references("applications.id").onDelete("cascade"),
      )
      .addColumn("revision", "integer", (column) => column.notNull())
      .addColumn("configs", text, (column) => column.notNull())
      .addColumn("message", text, (column) => column.notNull())
      .addColumn("created_by", text, (column) => column.notNull())
      .addColumn("created_at", text, (column) => column.notNull())
      .addPrimaryKeyConstraint("scorer_revisions_key", ["application_id", "revision"])
      .execute();
  };
  return { up };
}
