import type { Kysely, RawBuilder } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Test sets, their revisions, and their rows: a version of a row is there from one revision up to
 * another.
 *
 * @param text The type of text that is compared character by character.
 */
export function testSets(text: "text" | RawBuilder<unknown>): Migration {
  const up = async (db: Kysely<unknown>) => {
    await createSets(db, text);
    await createRows(db, text);
  };
  return { up };
}

async function createSets(db: Kysely<unknown>, text: "text" | RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable("test_sets")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("project_id", text, (column) =>
      column.notNull().references("projects.id").onDelete("cascade"),
    )
    .addColumn("slug", text, (column) => column.notNull())
    .addColumn("description", text, (column) => column.notNull())
    .addColumn("application_id", text, (column) =>
      column.references("applications.id").onDelete("set null"),
    )
    .addColumn("route", text)
    .addColumn("created_by", text, (column) => column.notNull())
    .addColumn("created_at", text, (column) => column.notNull())
    .addColumn("latest_revision", "integer", (column) => column.notNull())
    .addColumn("row_count", "integer", (column) => column.notNull())
    .addUniqueConstraint("test_sets_slug", ["project_id", "slug"])
    .execute();
  // An application that is deleted looks for its test sets.
  await db.schema
    .createIndex("test_sets_application")
    .on("test_sets")
    .column("application_id")
    .execute();
  await db.schema
    .createTable("test_set_revisions")
    .addColumn("test_set_id", text, (column) =>
      column.notNull().references("test_sets.id").onDelete("cascade"),
    )
    .addColumn("revision", "integer", (column) => column.notNull())
    .addColumn("message", text, (column) => column.notNull())
    .addColumn("created_by", text, (column) => column.notNull())
    .addColumn("created_at", text, (column) => column.notNull())
    .addColumn("row_count", "integer", (column) => column.notNull())
    .addColumn("added", "integer", (column) => column.notNull())
    .addColumn("changed", "integer", (column) => column.notNull())
    .addColumn("removed", "integer", (column) => column.notNull())
    .addColumn("moved", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("test_set_revisions_key", ["test_set_id", "revision"])
    .execute();
}

async function createRows(db: Kysely<unknown>, text: "text" | RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable("test_rows")
    .addColumn("test_set_id", text, (column) =>
      column.notNull().references("test_sets.id").onDelete("cascade"),
    )
    .addColumn("row_id", text, (column) => column.notNull())
    .addColumn("from_revision", "integer", (column) => column.notNull())
    .addColumn("to_revision", "integer")
    .addColumn("position", "double precision", (column) => column.notNull())
    .addColumn("hash", text, (column) => column.notNull())
    .addColumn("bytes", "integer", (column) => column.notNull())
    .addColumn("content", text, (column) => column.notNull())
    .addColumn("purged", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("test_rows_key", ["test_set_id", "row_id", "from_revision"])
    .execute();
  for (const column of ["position", "from_revision", "to_revision"]) {
    await db.schema
      .createIndex(`test_rows_${column}`)
      .on("test_rows")
      .columns(["test_set_id", column])
      .execute();
  }
}
