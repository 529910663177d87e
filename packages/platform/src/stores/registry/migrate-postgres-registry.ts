import type { QueryExecutorProvider } from "kysely";
import { Kysely, sql } from "kysely";
import { newerSchema } from "../database-errors.ts";
import { AGATE_SCHEMA, ENSURE_AGATE_SCHEMA } from "../postgres/agate-schema.ts";
import type { PostgresFacts } from "../postgres/postgres-errors.ts";
import { POSTGRES_FACTS, refuseUnfitPostgres } from "../postgres/postgres-errors.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { RegistryMigrations } from "./registry-migrations.ts";
import {
  PostgresRegistryPool,
  REGISTRY_POOL_LIMITS,
  SerialPostgresDialect,
} from "./serial-postgres-dialect.ts";

interface MigrationTables {
  registry_migrations: { name: string; migrated_at: string };
}

/**
 * Migrates the registry's tables, all or nothing. Any number of processes may do so at the same time: their
 * transactions wait for each other, here without a timeout.
 *
 * @throws StoreRefusalError where they are newer, or the server is too old.
 */
export async function migratePostgresRegistry(
  address: PostgresAddress,
  migrations: RegistryMigrations,
): Promise<void> {
  const pool = new PostgresRegistryPool(address, {
    ...REGISTRY_POOL_LIMITS,
    locking: 0,
    answering: 0,
  });
  const db = new Kysely<MigrationTables>({ dialect: new SerialPostgresDialect(pool) });
  try {
    const { rows } = await sql.raw<PostgresFacts>(POSTGRES_FACTS).execute(db);
    for (const facts of rows) refuseUnfitPostgres(address, facts);
    await db.transaction().execute((tx) => migrate(address, tx, migrations));
  } finally {
    await db.destroy();
  }
}

async function migrate(
  address: PostgresAddress,
  bare: Kysely<MigrationTables>,
  migrations: RegistryMigrations,
): Promise<void> {
  const db = bare.withSchema(AGATE_SCHEMA);
  await prepare(db);
  const rows = await db.selectFrom("registry_migrations").select("name").execute();
  const done = new Set(rows.map(({ name }) => name));
  const known = Object.keys(migrations);
  if (rows.some(({ name }) => !known.includes(name))) {
    throw newerSchema(address, done.size, known.length);
  }
  for (const [name, { up }] of Object.entries(migrations)) {
    if (done.has(name)) continue;
    await up(db);
    const migrated_at = new Date().toISOString();
    await db.insertInto("registry_migrations").values({ name, migrated_at }).execute();
  }
}

/** Looks first: a user without the privilege to create tables can use existing ones. */
async function prepare(db: Kysely<MigrationTables>): Promise<void> {
  await sql.raw(ENSURE_AGATE_SCHEMA).execute(db);
  if (await hasRegistryTables(db)) return;
  await db.schema
    .createTable("registry_migrations")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("migrated_at", "text", (column) => column.notNull())
    .execute();
}

export async function hasRegistryTables(db: QueryExecutorProvider): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT to_regclass('agate.registry_migrations') IS NOT NULL AS found`.execute(db);
  return rows[0]?.found === true;
}
