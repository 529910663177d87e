import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** What is told when a row of a table changes so. Columns are those that count. */
const TOLD: readonly (readonly [
  topic: "access" | "config" | "builds",
  table: string,
  ...on: ("INSERT" | "DELETE" | { readonly columns: readonly string[] })[],
])[] = [
  ["access", "projects", "INSERT", "DELETE", { columns: ["slug"] }],
  ["access", "api_keys", "INSERT", "DELETE"],
  ["config", "applications", "DELETE", { columns: ["slug"] }],
  // A new revision is the latest of its variant.
  ["config", "variants", "DELETE", { columns: ["slug", "latest_revision"] }],
  ["config", "environments", "INSERT", "DELETE", { columns: ["slug"] }],
  ["config", "deployments", "INSERT", "DELETE", { columns: ["ended_at"] }],
  ["builds", "builds", "DELETE", { columns: ["status", "live_since"] }],
];

/**
 * PostgreSQL tells by itself what is committed, whoever does it: to those who listen to
 * `agate_registry`, `access`, or `config` or `builds` with the id of an application. Equal ones of a
 * transaction are told once. A row that is only locked, by an update with what it has, is not told.
 */
export const registryTriggers: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      CREATE FUNCTION agate.registry_tell() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        changed record;
      BEGIN
        IF TG_OP = 'INSERT' THEN changed := NEW; ELSE changed := OLD; END IF;
        IF TG_ARGV[0] = 'access' THEN
          PERFORM pg_notify('agate_registry', 'access');
        ELSIF TG_TABLE_NAME = 'applications' THEN
          PERFORM pg_notify('agate_registry', TG_ARGV[0] || ' ' || changed.id);
        ELSE
          PERFORM pg_notify('agate_registry', TG_ARGV[0] || ' ' || changed.application_id);
        END IF;
        RETURN NULL;
      END
      $$`.execute(db);
    for (const [topic, table, ...on] of TOLD) {
      for (const change of on) {
        const [name, event, condition] =
          typeof change === "string"
            ? [change.toLowerCase(), change, sql``]
            : ["update", "UPDATE", sql`WHEN (${anyDiffers(change.columns)})`];
        await sql`
          CREATE TRIGGER ${sql.id(`registry_${name}_told`)} AFTER ${sql.raw(event)}
          ON ${sql.id("agate", table)} FOR EACH ROW ${condition}
          EXECUTE FUNCTION agate.registry_tell(${sql.lit(topic)})`.execute(db);
      }
    }
  },
};

function anyDiffers(columns: readonly string[]) {
  return sql.join(
    columns.map((column) => sql`OLD.${sql.id(column)} IS DISTINCT FROM NEW.${sql.id(column)}`),
    sql` OR `,
  );
}
