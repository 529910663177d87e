import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { newerSchema } from "../database-errors.ts";
import type { PostgresAddress } from "../store-address.ts";
import { StoreRefusalError } from "../store-errors.ts";
import { AGATE_SCHEMA, ENSURE_AGATE_SCHEMA } from "./agate-schema.ts";
import { connectionOptions, SESSION_SETTINGS, setSession } from "./connection-settings.ts";
import { ConnectionWatchdog, SocketGroup } from "./connection-watchdog.ts";
import { AS_OWNER } from "./day-tables.ts";
import type { PostgresFacts } from "./postgres-errors.ts";
import {
  asPostgresRefusal,
  isSerializationFailure,
  POSTGRES_FACTS,
  refuseUnfitPostgres,
} from "./postgres-errors.ts";
import { MIGRATIONS } from "./span-schema.ts";

/** How often a migration is run that loses a deadlock against servers of the version before. */
const ATTEMPTS = 5;

/**
 * Migrates the tables of spans. If several servers start at once, one of them migrates and the others wait.
 *
 * @throws StoreRefusalError with one sentence when the database cannot be used as it is.
 */
export async function prepareSpanDatabase(
  address: PostgresAddress,
  migrations: readonly string[] = MIGRATIONS,
): Promise<void> {
  await withConnection(address, async (client) => {
    await refuseUnfit(address, client);
    await migrate(address, client, migrations);
  });
}

/**
 * Whether the tables of spans exist; creates none.
 *
 * @throws StoreRefusalError with one sentence when the database cannot be asked.
 */
export async function hasSpanTables(address: PostgresAddress): Promise<boolean> {
  return await withConnection(address, async (client) => (await schemaVersion(client)) > 0);
}

async function refuseUnfit(address: PostgresAddress, client: Client): Promise<void> {
  const { rows } = await client.query<PostgresFacts>(POSTGRES_FACTS);
  for (const facts of rows) refuseUnfitPostgres(address, facts);
}

async function migrate(
  address: PostgresAddress,
  client: Client,
  migrations: readonly string[],
): Promise<void> {
  // Read committed, without a timeout: the statements after the lock must see what other servers did before
  // it, however long they take.
  await client.query(setSession({ ...SESSION_SETTINGS, statement_timeout: 0 }));
  for (let attempt = 1; ; attempt++) {
    try {
      return await migrateOnce(address, client, migrations);
    } catch (error) {
      // Migrations lock tables in the order of writers. A server's indexer takes `unindexed` first and `traces` second:
      // the migration may lose the deadlock, and the new server would not start.
      if (attempt === ATTEMPTS || !isSerializationFailure(error)) throw error;
    }
  }
}

async function migrateOnce(
  address: PostgresAddress,
  client: Client,
  migrations: readonly string[],
): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended('agate.migrate', 0))");
    const before = await schemaVersion(client);
    if (before > migrations.length) throw newerSchema(address, before, migrations.length);
    if (before === 0) await makeSchema(client);
    else {
      await refuseOthersTables(address, client);
      await client.query(AS_OWNER);
    }
    for (const statements of migrations.slice(before)) await client.query(statements);
    if (before < migrations.length) {
      await client.query("UPDATE agate.span_schema SET version = $1", [migrations.length]);
    }
    await forgetForeignTransactions(client);
    await client.query("COMMIT");
  } catch (error) {
    // The connection may be lost; the first error is the one to report.
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

async function schemaVersion(client: Client): Promise<number> {
  const { rows } = await client.query("SELECT to_regclass('agate.span_schema') AS is_there");
  if (rows[0]?.is_there === null) return 0;
  const versions = await client.query<{ version: number }>("SELECT version FROM agate.span_schema");
  return versions.rows[0]?.version ?? 0;
}

async function makeSchema(client: Client): Promise<void> {
  await client.query(ENSURE_AGATE_SCHEMA);
  await client.query("CREATE TABLE agate.span_schema (version integer NOT NULL)");
  await client.query("INSERT INTO agate.span_schema VALUES (0)");
}

/**
 * Every day has tables of its own, which only the owner of the partitioned tables can attach. Those of days and of
 * migrations are made in the owner's role, which PostgreSQL 16 and later may forbid to a member.
 */
async function refuseOthersTables(address: PostgresAddress, client: Client): Promise<void> {
  const { rows } = await client.query<{ owner: string; may_make: boolean; may_set: boolean }>(
    `SELECT quote_ident(pg_get_userbyid(relowner)) AS owner,
       pg_has_role(relowner, 'USAGE') AND has_schema_privilege('${AGATE_SCHEMA}', 'CREATE') AS may_make,
       pg_has_role(relowner, CASE WHEN current_setting('server_version_num')::int < 160000
         THEN 'MEMBER' ELSE 'SET' END) AS may_set
     FROM pg_class WHERE oid = 'agate.spans'::regclass`,
  );
  const [{ owner, may_make, may_set } = { owner: "", may_make: false, may_set: false }] = rows;
  if (may_make && may_set) return;
  const withSet = may_make ? " WITH SET TRUE" : "";
  throw new StoreRefusalError(
    `The user of ${address.shown} may not add tables to Agate's. Allow it with GRANT ${owner} TO its user${withSet}, or give the URL of the user ${owner}.`,
  );
}

/**
 * After a restore from a dump, traces name transactions of another server, whose ids lie in the future
 * here.
 */
async function forgetForeignTransactions(client: Client): Promise<void> {
  await client.query(
    `UPDATE agate.traces SET created = '0', changed = '0'
     WHERE changed >= pg_snapshot_xmax(pg_current_snapshot())`,
  );
}

/**
 * Whether two addresses lead to the same database, also through aliases, tunnels and poolers: a lock taken
 * over one is seen over the other.
 *
 * @throws StoreRefusalError with one sentence when the database cannot be asked.
 */
export function isSameDatabase(one: PostgresAddress, other: PostgresAddress): Promise<boolean> {
  const key = [randomBytes(8).readBigInt64BE().toString()];
  return withConnection(one, async (holder) => {
    await holder.query("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0");
    await holder.query("SELECT pg_advisory_xact_lock($1::bigint)", key);
    return withConnection(other, async (asker) => {
      const { rows } = await asker.query<{ is_free: boolean }>(
        "SELECT pg_try_advisory_xact_lock($1::bigint) AS is_free",
        key,
      );
      return rows[0]?.is_free === false;
    });
  });
}

/**
 * Does something over a connection of its own, as long as that may take: another server may have to be
 * waited for.
 *
 * @throws StoreRefusalError with one sentence where the database cannot be used.
 */
async function withConnection<Value>(
  address: PostgresAddress,
  work: (client: Client) => Promise<Value>,
): Promise<Value> {
  const sockets = new SocketGroup();
  try {
    const client = new Client({ ...connectionOptions(address), stream: sockets.make });
    // Told by the query that is under way.
    client.on("error", () => {});
    try {
      await client.connect();
      return await new ConnectionWatchdog(address, sockets).during(() => work(client));
    } finally {
      await sockets.end(() => client.end());
    }
  } catch (error) {
    throw asPostgresRefusal(address, error);
  }
}
