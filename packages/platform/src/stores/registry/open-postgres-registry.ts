import type { QueryExecutorProvider } from "kysely";
import { Kysely, sql } from "kysely";
import { newerSchema } from "../database-errors.ts";
import { AGATE_SCHEMA, ENSURE_AGATE_SCHEMA } from "../postgres/agate-schema.ts";
import type { PostgresFacts } from "../postgres/postgres-errors.ts";
import {
  asPostgresRefusal,
  POSTGRES_FACTS,
  refuseUnfitPostgres,
} from "../postgres/postgres-errors.ts";
import type { PostgresAddress } from "../store-address.ts";
import { RegistryUnavailableError } from "../store-errors.ts";
import { AccessVersionPoll } from "./access-version.ts";
import { openPostgresSignals } from "./open-postgres-signals.ts";
import {
  createPostgresBuildArchives,
  createPostgresDeployLeases,
} from "./postgres-shared-builds.ts";
import type { RegistryMigrations } from "./registry-migrations.ts";
import { POSTGRES_REGISTRY_MIGRATIONS } from "./registry-migrations.ts";
import type { RegistrySignals } from "./registry-signals.ts";
import type { RegistryDatabase, RegistryTables } from "./registry-tables.ts";
import type { RegistryPoolLimits } from "./serial-postgres-dialect.ts";
import {
  PostgresRegistryPool,
  REGISTRY_POOL_LIMITS,
  SerialPostgresDialect,
  WATCH_POOL_LIMITS,
} from "./serial-postgres-dialect.ts";
import type { SharedBuilds } from "./shared-builds.ts";

export interface PostgresRegistryOptions {
  /** The connection for change signals was lost, for this reason. */
  readonly onSignalsLost?: (reason: string) => void;
  readonly onSignalsBack?: () => void;
  readonly migrations?: RegistryMigrations;
  readonly limits?: RegistryPoolLimits;
}

/**
 * Opens the registry in PostgreSQL, migrates its tables and listens to its changes. Any number of processes
 * may use it.
 *
 * @throws StoreRefusalError with one sentence when it cannot be used as it is.
 */
export async function openPostgresRegistry(
  address: PostgresAddress,
  options: PostgresRegistryOptions = {},
): Promise<{
  readonly db: RegistryDatabase;
  readonly watchDb: RegistryDatabase;
  readonly signals: RegistrySignals;
  readonly accessVersion: AccessVersionPoll;
  check(): Promise<void>;
  readonly sharedBuilds: SharedBuilds;
}> {
  const { migrations = POSTGRES_REGISTRY_MIGRATIONS, limits = REGISTRY_POOL_LIMITS } = options;
  const { onSignalsLost: onLost = () => {}, onSignalsBack: onBack = () => {} } = options;
  try {
    await migratePostgresRegistry(address, migrations);
    const signals = await openPostgresSignals(address, { onLost, onBack });
    const db = connect(address, limits);
    const watchDb = connect(address, WATCH_POOL_LIMITS);
    const poll = new AccessVersionPoll(watchDb);
    const archives = createPostgresBuildArchives(db);
    return {
      db,
      watchDb,
      signals: {
        ...signals,
        async close() {
          await Promise.all([poll.close(), signals.close(), watchDb.destroy()]);
        },
      },
      accessVersion: poll,
      check: () => poll.check(),
      sharedBuilds: { archives, ...createPostgresDeployLeases(address, db) },
    };
  } catch (error) {
    throw asRefusal(address, error);
  }
}

function connect(address: PostgresAddress, limits: RegistryPoolLimits): RegistryDatabase {
  const dialect = new SerialPostgresDialect(new PostgresRegistryPool(address, limits));
  return new Kysely<RegistryTables>({ dialect }).withSchema(AGATE_SCHEMA);
}

/**
 * Whether a registry exists; creates none.
 *
 * @throws StoreRefusalError with one sentence when the database cannot be asked.
 */
export async function hasPostgresRegistry(address: PostgresAddress): Promise<boolean> {
  const dialect = new SerialPostgresDialect(new PostgresRegistryPool(address));
  const db = new Kysely<unknown>({ dialect });
  try {
    return await hasRegistryTables(db);
  } catch (error) {
    throw asRefusal(address, error);
  } finally {
    await db.destroy();
  }
}

function asRefusal(address: PostgresAddress, error: unknown): unknown {
  return asPostgresRefusal(
    address,
    error instanceof RegistryUnavailableError ? error.cause : error,
  );
}

interface MigrationTables {
  registry_migrations: { name: string; migrated_at: string };
}

/**
 * Migrates the registry's tables, all or nothing. Any number of processes may do so at the same time: their
 * transactions wait for each other, here without a timeout.
 *
 * @throws StoreRefusalError where they are newer, or the server is too old.
 */
async function migratePostgresRegistry(
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

async function hasRegistryTables(db: QueryExecutorProvider): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT to_regclass('agate.registry_migrations') IS NOT NULL AS found`.execute(db);
  return rows[0]?.found === true;
}
