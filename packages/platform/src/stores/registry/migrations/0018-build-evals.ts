import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Builds with eval files, and the evaluations that those declare, once they were read. */
export const buildEvals: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable("builds").addColumn("has_evals", "integer").execute();
    await db.schema.alterTable("builds").addColumn("evaluations", "text").execute();
  },
};
