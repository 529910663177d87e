import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Since when a build serves: whoever runs it sees that it was activated anew. */
export const liveSince: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable("builds").addColumn("live_since", "text").execute();
  },
};
