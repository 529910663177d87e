import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Servers report the memory of their processes; null from those of earlier versions. */
export const serverMemory: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable("server_reports").addColumn("memory_mib", "integer").execute();
  },
};
