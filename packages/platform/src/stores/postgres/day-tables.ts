import { dateText, tableOfDay } from "./day.ts";
import type { SpanDatabase, SqlRunner } from "./span-database.ts";
import { TABLES_BY_DAY } from "./span-schema.ts";

/** The advisory lock for creating and dropping the tables of a day. */
const DAYS_LOCK = "hashtextextended('agate.days', 0)";
/** Short, because every later statement on the table queues behind a waiting exclusive lock. */
const LOCK_WAIT = "250ms";

/** A smaller table is read fast, however PostgreSQL does it. */
const LEAST_BYTES = 256 * 1024;
/** A table that has grown to more than this many times what PostgreSQL has counted is looked at again. */
const MOST_GROWTH = 8;

/**
 * For the rest of the transaction, new tables belong to the owner of the existing ones: a user who only has
 * that owner's role would otherwise create tables that the owner cannot read.
 */
export const AS_OWNER = `
  SELECT set_config('role', pg_get_userbyid(relowner), true) FROM pg_catalog.pg_class
  WHERE oid = 'agate.spans'::regclass AND pg_get_userbyid(relowner) <> current_user`;

/**
 * Creates the tables of some days if they do not exist. Reads and writes of other days do not wait: a table
 * is created on its own and then attached.
 */
export async function makeDays(database: SpanDatabase, days: readonly number[]): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(`SELECT pg_advisory_xact_lock(${DAYS_LOCK})`);
    await transaction.query(AS_OWNER);
    for (const day of days) await makeDay(transaction, day);
  });
}

async function makeDay(transaction: SqlRunner, day: number): Promise<void> {
  if (await hasDay(transaction, day)) return;
  for (const table of TABLES_BY_DAY) {
    const name = tableOfDay(table, day);
    await transaction.query(
      table === "spans"
        ? `CREATE TABLE ${name} (${await columnsByWidth(transaction, table)})`
        : `CREATE TABLE ${name} (LIKE agate.${table} INCLUDING STORAGE)`,
    );
    if (table === "segments") {
      // Bodies of up to a page stay in the row, so that a small trace takes one lookup.
      await transaction.query(`ALTER TABLE ${name} SET (toast_tuple_target = 8160)`);
    }
    await transaction.query(
      `ALTER TABLE agate.${table} ATTACH PARTITION ${name}
       FOR VALUES FROM ('${dateText(day)}') TO ('${dateText(day + 1)}')`,
    );
  }
  await spareVectors(transaction, day);
}

/** The columns of a table, the widest numbers first: between others, a row would have up to seven bytes of padding. */
async function columnsByWidth(transaction: SqlRunner, table: string): Promise<string> {
  const [row] = await transaction.query<{ readonly columns: string }>(
    `SELECT string_agg(concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
         'COLLATE ' || nullif(a.attcollation, 0)::regcollation,
         CASE WHEN a.attnotnull THEN 'NOT NULL' END), ', ' ORDER BY a.attlen DESC, a.attnum) AS columns
     FROM pg_catalog.pg_attribute a
     WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped`,
    [`agate.${table}`],
  );
  return (row as { columns: string }).columns;
}

/** Has PostgreSQL make no statistics of words: it would make the vectors of 30,000 rows, a millisecond each. */
async function spareVectors(transaction: SqlRunner, day: number): Promise<void> {
  const indexes = await transaction.query<{ readonly name: string }>(
    `SELECT indexrelid::regclass::text AS name FROM pg_catalog.pg_index
     WHERE indrelid = ANY($1::regclass[]) AND indexprs IS NOT NULL`,
    [[tableOfDay("texts", day), tableOfDay("long_texts", day)]],
  );
  for (const { name } of indexes) {
    await transaction.query(`ALTER INDEX ${name} ALTER COLUMN 1 SET STATISTICS 0`);
  }
}

/**
 * Drops the tables of a day without traces.
 *
 * @returns False when it still has some.
 * @throws StoreUnavailableError while other transactions use the tables: it can be retried later.
 */
export async function dropDay(database: SpanDatabase, day: number): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await transaction.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`);
    await transaction.query(`SELECT pg_advisory_xact_lock(${DAYS_LOCK})`);
    if (!(await hasDay(transaction, day))) return true;
    // A transaction that writes the day's first trace waits for this lock, finds no tables and starts
    // again.
    for (const table of TABLES_BY_DAY) {
      await transaction.query(`LOCK TABLE agate.${table} IN ACCESS EXCLUSIVE MODE`);
    }
    const traces = await transaction.query("SELECT FROM agate.traces WHERE day = $1 LIMIT 1", [
      dateText(day),
    ]);
    if (traces.length > 0) return false;
    for (const table of TABLES_BY_DAY) {
      await transaction.query(`DROP TABLE ${tableOfDay(table, day)}`);
    }
    for (const table of ["deleted_traces", "unindexable", "superseded_segments"]) {
      await transaction.query(`DELETE FROM agate.${table} WHERE day = $1`, [dateText(day)]);
    }
    return true;
  });
}

/**
 * Has PostgreSQL look at tables that it has not looked at yet, such as those of a new day, or of which it has seen
 * little: rows that are committed later do not count. Until its own maintenance does, a minute or more later, it takes
 * them to be almost empty: lists would read all spans of the day.
 */
export async function analyseTables(database: SpanDatabase): Promise<void> {
  // Deleted rows count as modified: a queue such as `unindexed`, which stays short, would be looked at again for ever.
  const tables = await database.query<{ readonly name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_catalog.pg_class c
     WHERE c.relnamespace = 'agate'::regnamespace AND c.relkind = 'r' AND pg_relation_size(c.oid) >= $1
       AND (c.reltuples < 0 OR (c.relispartition OR c.relname = 'traces')
         AND pg_stat_get_mod_since_analyze(c.oid) > $2 * c.reltuples)`,
    [LEAST_BYTES, MOST_GROWTH],
    "tables-to-analyse",
  );
  // A table that is locked is left for the next time: waiting for it cancels a vacuum that PostgreSQL itself has begun.
  // Only a warning where the tables belong to someone else.
  for (const { name } of tables) await database.query(`ANALYZE (SKIP_LOCKED) ${name}`);
}

async function hasDay(runner: SqlRunner, day: number): Promise<boolean> {
  // Not by to_regclass(): a session caches names, and learns late of tables that others created or dropped.
  const rows = await runner.query(
    `SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relname = $2`,
    tableOfDay(TABLES_BY_DAY[0], day).split("."),
  );
  return rows.length > 0;
}
