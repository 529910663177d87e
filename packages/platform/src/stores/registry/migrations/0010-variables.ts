import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * The variables of environments, and their history without values.
 *
 * @param text The type of text that is compared character by character.
 */
export function variables(text: "text" | RawBuilder<unknown>): Migration {
  const up = async (db: Kysely<unknown>) => {
    await db.schema
      .createTable("variables")
      .addColumn("environment_id", text, (column) =>
        column.notNull().references("environments.id").onDelete("cascade"),
      )
      .addColumn("name", text, (column) => column.notNull())
      .addColumn("version", "integer", (column) => column.notNull())
      .addColumn("is_secret", "integer", (column) => column.notNull())
      .addColumn("value", text, (column) => column.notNull())
      .addColumn("updated_by", text, (column) => column.notNull())
      .addColumn("updated_at", text, (column) => column.notNull())
      .addPrimaryKeyConstraint("variables_key", ["environment_id", "name"])
      .execute();
    await db.schema
      .createTable("variable_history")
      .addColumn("environment_id", text, (column) =>
        column.notNull().references("environments.id").onDelete("cascade"),
      )
      .addColumn("name", text, (column) => column.notNull())
      .addColumn("version", "integer", (column) => column.notNull())
      .addColumn("action", text, (column) => column.notNull())
      .addColumn("changed_by", text, (column) => column.notNull())
      .addColumn("changed_at", text, (column) => column.notNull())
      .addPrimaryKeyConstraint("variable_history_key", ["environment_id", "version", "name"])
      .execute();
  };
  return { up };
}

/**
 * The same where other servers have to hear of every change. An environment that is deleted takes its
 * variables along and is announced itself. Encrypting a secret again changes no version and is not
 * announced: the values stay the same.
 */
export function announcedVariables(text: RawBuilder<unknown>): Migration {
  const up = async (db: Kysely<unknown>) => {
    await variables(text).up(db);
    await sql`
      CREATE FUNCTION agate.variables_tell() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        application text;
      BEGIN
        SELECT application_id INTO application FROM agate.environments
          WHERE id = NEW.environment_id;
        PERFORM pg_notify('agate_registry', 'variables ' || application);
        RETURN NULL;
      END
      $$`.execute(db);
    // Every change of variables adds to their history.
    await sql`
      CREATE TRIGGER registry_insert_told AFTER INSERT ON agate.variable_history
      FOR EACH ROW EXECUTE FUNCTION agate.variables_tell()`.execute(db);
  };
  return { up };
}
