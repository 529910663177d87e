import { sql } from "kysely";
import type { RegistryAddress } from "../store-address.ts";
import type { AccessVersionPoll } from "./access-version.ts";
import { openSqliteRegistry } from "./open-sqlite-registry.ts";
import type { RegistrySignals } from "./registry-signals.ts";
import { LocalSignals } from "./registry-signals.ts";
import type { RegistryDatabase } from "./registry-tables.ts";
import type { SharedBuilds } from "./shared-builds.ts";

/** The registry's database, migrated, with the signals of its changes. */
export interface OpenRegistryDatabase {
  readonly db: RegistryDatabase;
  /**
   * The same over a connection that is polled all the time and replaced as soon as it stalls: for reads
   * that must finish within a second even if other connections have stalled.
   */
  readonly watchDb: RegistryDatabase;
  readonly signals: RegistrySignals;
  /**
   * Calls back after changes of projects, keys and sessions within a second, even if the connection for
   * signals has stalled; null where no other process can make changes.
   */
  readonly accessVersion: Pick<AccessVersionPoll, "subscribe"> | null;
  /** Resolves when the database answers. Waits for no other statement: for readiness probes. */
  check(): Promise<void>;
  /** Shared by replicas; null where there can be none. */
  readonly sharedBuilds: SharedBuilds | null;
}

export interface RegistryDatabaseOptions {
  /** The connection for change signals was lost, for this reason. It reconnects. */
  readonly onSignalsLost?: (reason: string) => void;
  /** It has reconnected. */
  readonly onSignalsBack?: () => void;
}

/**
 * Opens the registry that an address names. A database's client is loaded only when its address is
 * used; a data directory must be this process's own.
 *
 * @throws StoreRefusalError with one sentence when it cannot be used as it is.
 * @example const registry = await openRegistry(await openRegistryDatabase(address))
 */
export async function openRegistryDatabase(
  address: RegistryAddress,
  options: RegistryDatabaseOptions = {},
): Promise<OpenRegistryDatabase> {
  switch (address.kind) {
    case "sqlite": {
      const db = await openSqliteRegistry(address.directory);
      const check = async () => void (await sql`SELECT 1 FROM sqlite_schema`.execute(db));
      const signals = new LocalSignals();
      return { db, watchDb: db, signals, accessVersion: null, check, sharedBuilds: null };
    }
    case "postgres": {
      const { openPostgresRegistry } = await import("./open-postgres-registry.ts");
      return openPostgresRegistry(address, options);
    }
  }
}
