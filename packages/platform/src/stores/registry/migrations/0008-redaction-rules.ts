import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * What each project's spans and logs are stored without. A project without a row has no rules.
 *
 * @param text The type of text that is compared character by character.
 */
export function redactionRules(text: "text" | RawBuilder<unknown>): Migration {
  const up = async (db: Kysely<unknown>) => {
    await db.schema
      .createTable("redaction_rules")
      .addColumn("project_id", text, (column) =>
        column.primaryKey().references("projects.id").onDelete("cascade"),
      )
      .addColumn("rules", text, (column) => column.notNull())
      .addColumn("updated_at", text, (column) => column.notNull())
      .addColumn("updated_by", text, (column) => column.notNull())
      .execute();
  };
  return { up };
}

/** The same where other servers have to hear of every change: as of a change of projects and keys. */
export function announcedRedactionRules(text: RawBuilder<unknown>): Migration {
  const up = async (db: Kysely<unknown>) => {
    await redactionRules(text).up(db);
    await sql`
      CREATE TRIGGER access_counted AFTER INSERT OR DELETE OR UPDATE ON agate.redaction_rules
      FOR EACH STATEMENT EXECUTE FUNCTION agate.access_count()`.execute(db);
    for (const event of ["INSERT", "DELETE", "UPDATE"]) {
      await sql`
        CREATE TRIGGER ${sql.id(`registry_${event.toLowerCase()}_told`)} AFTER ${sql.raw(event)}
        ON agate.redaction_rules FOR EACH ROW
        EXECUTE FUNCTION agate.registry_tell('access')`.execute(db);
    }
  };
  return { up };
}
