import type { PostgresPool, TransactionSettings } from "kysely";
import { CompiledQuery, PostgresDialect, PostgresDriver } from "kysely";

/** "AGATEREG": others may take locks in the same database. */
const REGISTRY_LOCK = 0x41_47_41_54_45_52_45_47n;

/**
 * Kysely's PostgreSQL dialect, with transactions that wait for each other, whichever process they are
 * in, as SQLite's do. A check before a write is then right, none meets a deadlock, and changes of a
 * registry are rare enough. Each statement sees what was committed before it, so that what comes after
 * the lock sees all of it; a snapshot for the whole transaction would be older than the lock.
 */
export class SerialPostgresDialect extends PostgresDialect {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): PostgresDriver {
    return new SerialDriver({ pool: this.#pool });
  }
}

type Connection = Parameters<PostgresDriver["rollbackTransaction"]>[0];

class SerialDriver extends PostgresDriver {
  override async beginTransaction(
    connection: Connection,
    settings: TransactionSettings,
  ): Promise<void> {
    // Whoever only reads waits for nobody, and may have a snapshot.
    if (settings.accessMode === "read only") return super.beginTransaction(connection, settings);
    const begin = `begin isolation level read committed; select pg_advisory_xact_lock(${REGISTRY_LOCK})`;
    try {
      await connection.executeQuery(CompiledQuery.raw(begin));
    } catch (error) {
      // Kysely takes it for not begun. A connection that cannot be rolled back is not used again.
      await this.rollbackTransaction(connection).catch(() => {});
      throw error;
    }
  }
}
