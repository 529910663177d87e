import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** The archives of builds, in parts: a replica that has no files of a live build finds them here. */
export const buildArchives: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable("build_archives")
      .addColumn("build_id", sql`text COLLATE "C"`, (column) =>
        column.notNull().references("builds.id").onDelete("cascade"),
      )
      .addColumn("part", "integer", (column) => column.notNull())
      .addColumn("bytes", "bytea", (column) => column.notNull())
      .addPrimaryKeyConstraint("build_archives_by_part", ["build_id", "part"])
      .execute();
    // They are compressed already.
    await sql`ALTER TABLE agate.build_archives ALTER COLUMN bytes SET STORAGE EXTERNAL`.execute(db);
  },
};
