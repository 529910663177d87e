import { dateText, tableOfDay } from "./day.ts";
import type { SpanDatabase, SqlRunner } from "./span-database.ts";
import { TABLES_BY_DAY } from "./span-schema.ts";

/** Whoever makes or drops a day's tables holds it; any number will do that nobody else uses. */
const DAYS_LOCK = "hashtextextended('agate.days', 0)";
/** Everybody queues up behind a lock that somebody waits for, so nobody waits for long. */
const LOCK_WAIT = "250ms";

/**
 * For the rest of the transaction: tables belong to the owner of the others, whoever makes them with the
 * rights of that owner. Else the owner itself could not read them.
 */
const AS_OWNER = `
  SELECT set_config('role', pg_get_userbyid(relowner), true) FROM pg_catalog.pg_class
  WHERE oid = 'agate.spans'::regclass AND pg_get_userbyid(relowner) <> current_user`;

/**
 * Makes the tables of some days where they are missing. Nobody who reads or writes other days has to
 * wait: a table is made on its own and then attached.
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
    // Bodies stay in the row up to a page: then one look is enough to read a small trace.
    const storage = table === "segments" ? "WITH (toast_tuple_target = 8160)" : "";
    await transaction.query(
      `CREATE TABLE ${name} (LIKE agate.${table} INCLUDING STORAGE) ${storage}`,
    );
    await transaction.query(
      `ALTER TABLE agate.${table} ATTACH PARTITION ${name}
       FOR VALUES FROM ('${dateText(day)}') TO ('${dateText(day + 1)}')`,
    );
  }
}

/**
 * Drops the tables of a day that has no trace any more.
 *
 * @returns False when it still has some.
 * @throws StoreUnavailableError where others are at work in the tables for long: it can be tried later.
 */
export async function dropDay(database: SpanDatabase, day: number): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await transaction.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`);
    await transaction.query(`SELECT pg_advisory_xact_lock(${DAYS_LOCK})`);
    if (!(await hasDay(transaction, day))) return true;
    // Who writes the first trace of the day meanwhile waits here, finds no tables and begins anew.
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

async function hasDay(runner: SqlRunner, day: number): Promise<boolean> {
  // Not by to_regclass(): a session knows names by heart, and hears late of what others made or dropped.
  const rows = await runner.query(
    `SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relname = $2`,
    tableOfDay(TABLES_BY_DAY[0], day).split("."),
  );
  return rows.length > 0;
}
