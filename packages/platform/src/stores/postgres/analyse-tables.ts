import type { SpanDatabase } from "./span-database.ts";

/** A smaller table is read fast, however PostgreSQL does it. */
const LEAST_BYTES = 256 * 1024;

/**
 * Has PostgreSQL look at tables that it has not looked at yet, such as those of a new day. Until its own maintenance
 * does, a minute or more later, it takes them to be almost empty: lists would read all spans of the day.
 */
export async function analyseTables(database: SpanDatabase): Promise<void> {
  const tables = await database.query<{ readonly name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_catalog.pg_class c
     WHERE c.relnamespace = 'agate'::regnamespace AND c.relkind = 'r' AND c.reltuples < 0
       AND pg_relation_size(c.oid) >= $1`,
    [LEAST_BYTES],
    "tables-to-analyse",
  );
  // Only a warning where the tables belong to someone else.
  for (const { name } of tables) await database.query(`ANALYZE ${name}`);
}
