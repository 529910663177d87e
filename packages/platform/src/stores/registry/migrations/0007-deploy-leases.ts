import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Which server changes what serves an application, and until when it may. The token grows with every
 * turn; what comes with an older one is refused. Rows of deleted applications stay: no id is used twice.
 * Only for databases that several servers use.
 */
export const deployLeases: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable("deploy_leases")
      .addColumn("application_id", sql`text COLLATE "C"`, (column) => column.primaryKey())
      .addColumn("token", "integer", (column) => column.notNull())
      .addColumn("until", "timestamptz", (column) => column.notNull())
      .execute();
  },
};
