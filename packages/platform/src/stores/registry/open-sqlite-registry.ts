import { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { Migrator } from "kysely/migration";
import { asRefusal, checkDatabaseFile } from "../sqlite/check-database-file.ts";
import { filesIn, makePrivateFile } from "../sqlite/data-directory.ts";
import { RegistryUnavailableError } from "../store-errors.ts";
import { NodeSqliteDatabase, NodeSqliteDialect } from "./node-sqlite-dialect.ts";
import type { RegistryMigrations } from "./registry-migrations.ts";
import { SQLITE_REGISTRY_MIGRATIONS } from "./registry-migrations.ts";
import type { RegistryDatabase, RegistryTables } from "./registry-tables.ts";

/** Marks the file as our registry ("AGAR"), so that a foreign file is refused and not written to. */
export const REGISTRY_APPLICATION_ID = 0x41474152;

/**
 * How long to wait for another program that has the file locked. It is short because the wait holds
 * up the whole thread; no other Agate can have it, as the data directory is this process's own.
 */
const BUSY_TIMEOUT_MS = 250;

/**
 * Opens the registry in a data directory that this process holds, and brings it up to date.
 *
 * @throws DataDirectoryError with one sentence when the file cannot be used. It was left as it is.
 * @example const database = await openSqliteRegistry(".agate")
 */
export async function openSqliteRegistry(
  directory: string,
  migrations: RegistryMigrations = SQLITE_REGISTRY_MIGRATIONS,
): Promise<RegistryDatabase> {
  const file = filesIn(directory).registry;
  checkDatabaseFile(file, {
    applicationId: REGISTRY_APPLICATION_ID,
    version: Object.keys(migrations).length,
    tables: ["revisions", "deployments", "builds"],
  });
  let database: RegistryDatabase | undefined;
  try {
    database = new Kysely<RegistryTables>({ dialect: new NodeSqliteDialect(openFile(file)) });
    await migrate(database, migrations);
    return database;
  } catch (error) {
    await database?.destroy();
    throw asRefusal(file, error instanceof RegistryUnavailableError ? error.cause : error);
  }
}

function openFile(file: string): NodeSqliteDatabase {
  makePrivateFile(file);
  const database = new DatabaseSync(file, {
    timeout: BUSY_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
  });
  try {
    database.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON",
    );
    // First, so that a file left unfinished by a killed process is recognised as ours.
    database.exec(`PRAGMA application_id = ${REGISTRY_APPLICATION_ID}`);
    return new NodeSqliteDatabase(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

async function migrate(db: RegistryDatabase, migrations: RegistryMigrations): Promise<void> {
  const provider = { getMigrations: async () => counted(migrations) };
  const { error, results = [] } = await new Migrator({ db, provider }).migrateToLatest();
  if (error !== undefined) throw error;
  // The version must be in the file itself, where the next start looks before it opens it.
  if (results.length > 0) await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(db);
}

/** Counts the migrations in `user_version` as well, in the same transaction: it is in the file's header. */
function counted(migrations: RegistryMigrations): Record<string, Migration> {
  return Object.fromEntries(
    Object.entries(migrations).map(([name, { up }], index) => [
      name,
      {
        async up(db: Kysely<unknown>) {
          await up(db);
          await sql.raw(`PRAGMA user_version = ${index + 1}`).execute(db);
        },
      },
    ]),
  );
}
