import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** The tables as they are at this point; migrations must not follow the types of today's tables. */
interface Tables {
  readonly api_keys: { readonly id: string; readonly scopes: string };
}

/**
 * `deploy` is a scope of its own, apart from `admin`: keys that could deploy until now still can.
 * Builds record what their program may do (`allow`) and the SHA-256 of their manifest; both are null
 * for builds from before, which run without restrictions as they did.
 */
export const deployScope: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable("builds").addColumn("allow", "text").execute();
    await db.schema.alterTable("builds").addColumn("manifest_hash", "text").execute();
    const keys = db as Kysely<Tables>;
    for (const { id, scopes } of await keys.selectFrom("api_keys").selectAll().execute()) {
      const before = JSON.parse(scopes) as string[];
      if (!before.includes("admin") || before.includes("deploy")) continue;
      const after = JSON.stringify([
        ...before.filter((each) => each !== "admin"),
        "deploy",
        "admin",
      ]);
      await keys.updateTable("api_keys").set({ scopes: after }).where("id", "=", id).execute();
    }
  },
};
