import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Sessions of the page: each belongs to an API key and goes with it.
 *
 * @param text The type of text that is compared character by character.
 */
export function sessions(text: "text" | RawBuilder<unknown>): Migration {
  const up = async (db: Kysely<unknown>) => {
    await db.schema
      .createTable("sessions")
      .addColumn("hash", text, (column) => column.primaryKey())
      .addColumn("key_id", text, (column) =>
        column.notNull().references("api_keys.id").onDelete("cascade"),
      )
      .addColumn("created_at", text, (column) => column.notNull())
      .addColumn("expires_at", text, (column) => column.notNull())
      .execute();
    await db.schema.createIndex("sessions_by_key").on("sessions").column("key_id").execute();
  };
  return { up };
}

/** What counts as a change of who may do what. */
const COUNTED: Readonly<Record<string, string>> = {
  projects: "INSERT OR DELETE OR UPDATE OF slug",
  api_keys: "INSERT OR DELETE",
  sessions: "INSERT OR DELETE",
};

/**
 * Counts every change of projects, keys and sessions in one row, in the transaction that makes it. A
 * server whose listening connection has stalled sees by it that it missed something.
 */
export function countedSessions(text: RawBuilder<unknown>): Migration {
  const up = async (db: Kysely<unknown>) => {
    await sessions(text).up(db);
    await sql`CREATE TABLE agate.access_version (version bigint NOT NULL)`.execute(db);
    await sql`INSERT INTO agate.access_version VALUES (0)`.execute(db);
    await sql`
      CREATE FUNCTION agate.access_count() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE agate.access_version SET version = version + 1;
        RETURN NULL;
      END
      $$`.execute(db);
    for (const [table, events] of Object.entries(COUNTED)) {
      await sql`
        CREATE TRIGGER access_counted AFTER ${sql.raw(events)} ON ${sql.id("agate", table)}
        FOR EACH STATEMENT EXECUTE FUNCTION agate.access_count()`.execute(db);
    }
    for (const event of ["INSERT", "DELETE"]) {
      await sql`
        CREATE TRIGGER ${sql.id(`registry_${event.toLowerCase()}_told`)} AFTER ${sql.raw(event)}
        ON agate.sessions FOR EACH ROW EXECUTE FUNCTION agate.registry_tell('access')`.execute(db);
    }
  };
  return { up };
}
