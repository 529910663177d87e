import { Kysely } from "kysely";
import { AGATE_SCHEMA } from "../postgres/agate-schema.ts";
import { asPostgresRefusal } from "../postgres/postgres-errors.ts";
import type { PostgresAddress } from "../store-address.ts";
import { RegistryUnavailableError } from "../store-errors.ts";
import { AccessVersionPoll } from "./access-version.ts";
import { hasRegistryTables, migratePostgresRegistry } from "./migrate-postgres-registry.ts";
import { openPostgresSignals } from "./open-postgres-signals.ts";
import { createPostgresBuildArchives } from "./postgres-build-archives.ts";
import { createPostgresDeployLeases } from "./postgres-deploy-leases.ts";
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
