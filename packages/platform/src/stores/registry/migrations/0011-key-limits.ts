import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** The tables as they are at this point; migrations must not follow the types of today's tables. */
interface Tables {
  readonly api_keys: { readonly id: string; readonly scopes: string };
}

/**
 * `playground` is a scope of its own, apart from `run`: keys that could call the playground until now
 * still can. Keys may be limited to environments: null for those that are not, and for all from before.
 */
export const keyLimits: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable("api_keys").addColumn("environments", "text").execute();
    const keys = db as Kysely<Tables>;
    for (const { id, scopes } of await keys.selectFrom("api_keys").selectAll().execute()) {
      const before = JSON.parse(scopes) as string[];
      if (!before.includes("run") || before.includes("playground")) continue;
      const after = before.flatMap((scope) => (scope === "run" ? ["run", "playground"] : [scope]));
      await keys
        .updateTable("api_keys")
        .set({ scopes: JSON.stringify(after) })
        .where("id", "=", id)
        .execute();
    }
  },
};
