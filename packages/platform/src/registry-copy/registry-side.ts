import { statSync } from "node:fs";
import { openSqliteRegistry } from "../stores/registry/open-sqlite-registry.ts";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import { filesIn, holdDataDirectory } from "../stores/sqlite/data-directory.ts";
import { DataDirectoryError, DataDirectoryInUseError } from "../stores/sqlite/sqlite-errors.ts";
import type { PostgresAddress, RegistryAddress, SqliteAddress } from "../stores/store-address.ts";
import { StoreRefusalError } from "../stores/store-errors.ts";
import { storeName } from "../stores/store-identity.ts";
import type { CopiedArchives } from "./folder-archives.ts";
import { folderArchives } from "./folder-archives.ts";

/** A registry that is copied, or copied to. */
export interface RegistrySide extends AsyncDisposable {
  /** For people. */
  readonly name: string;
  readonly db: RegistryDatabase;
  /** The archives of its builds, as a transaction sees them. */
  archivesIn(transaction: RegistryDatabase): CopiedArchives;
}

/**
 * Opens a registry, which is made if it is not there, and brings it up to date. A data directory is
 * held until it is closed.
 *
 * @throws StoreRefusalError with one sentence when it cannot be used as it is.
 */
export function openRegistrySide(address: RegistryAddress): Promise<RegistrySide> {
  return address.kind === "sqlite" ? openFolder(address) : openDatabase(address);
}

async function openFolder(address: SqliteAddress): Promise<RegistrySide> {
  const { directory } = address;
  await using opened = new AsyncDisposableStack();
  const held = hold(directory);
  opened.defer(() => held.release());
  const db = await openSqliteRegistry(directory);
  opened.defer(() => db.destroy());
  const archives = folderArchives(directory);
  const parts = opened.move();
  return {
    name: storeName(address),
    db,
    archivesIn: () => archives,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function hold(directory: string) {
  try {
    return holdDataDirectory(directory);
  } catch (error) {
    if (error instanceof DataDirectoryInUseError) {
      throw new StoreRefusalError(
        `A running server uses the data directory ${directory}. Stop it first: what it changes meanwhile would be left out.`,
      );
    }
    if (!(error instanceof DataDirectoryError)) throw error;
    // There is no such option here.
    throw new StoreRefusalError(error.message.replaceAll(" with --data-dir", ""));
  }
}

async function openDatabase(address: PostgresAddress): Promise<RegistrySide> {
  const [{ openPostgresRegistry }, { createPostgresBuildArchives }, { REGISTRY_POOL_LIMITS }] =
    await Promise.all([
      import("../stores/registry/open-postgres-registry.ts"),
      import("../stores/registry/postgres-shared-builds.ts"),
      import("../stores/registry/serial-postgres-dialect.ts"),
    ]);
  // Its transaction rests while a build of the other side is packed.
  const limits = { ...REGISTRY_POOL_LIMITS, resting: 0 };
  const { db, signals } = await openPostgresRegistry(address, { limits });
  return {
    name: storeName(address),
    db,
    archivesIn: createPostgresBuildArchives,
    async [Symbol.asyncDispose]() {
      await signals.close();
      await db.destroy();
    },
  };
}

/**
 * What is to be copied must be there: opening it would make an empty one.
 *
 * @throws StoreRefusalError
 */
export async function refuseMissing(from: RegistryAddress): Promise<void> {
  if (from.kind === "sqlite") {
    const { registry } = filesIn(from.directory);
    // One that this user may not look for is not missing: that is thrown.
    if (statSync(registry, { throwIfNoEntry: false }) !== undefined) return;
    throw new StoreRefusalError(
      `There is no registry.db in ${from.directory}. Name the folder that a server had as its --data-dir.`,
    );
  }
  const { hasPostgresRegistry } = await import("../stores/registry/open-postgres-registry.ts");
  if (await hasPostgresRegistry(from)) return;
  throw new StoreRefusalError(
    `There is no registry of Agate in ${from.shown}. Name the database that a server had as its --registry.`,
  );
}
