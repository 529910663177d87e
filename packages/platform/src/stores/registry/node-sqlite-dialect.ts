import type { DatabaseConnection } from "kysely";
import { CompiledQuery, SqliteAdapter, SqliteDialect, SqliteDriver } from "kysely";
import type { NodeSqliteDatabase } from "./node-sqlite-database.ts";

/** Kysely's SQLite dialect, with transactions as the registry needs them. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #database: NodeSqliteDatabase;

  constructor(database: NodeSqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateDriver(this.#database);
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

class ImmediateDriver extends SqliteDriver {
  readonly #database: NodeSqliteDatabase;

  constructor(database: NodeSqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  /**
   * Takes the write lock at once. A transaction that reads first and then writes fails without
   * waiting when another program (a backup, a shell) has written in between.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  /** Where SQLite has rolled back by itself, another `rollback` would hide why. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection);
  }
}

/** A migration is done whole or not at all: SQLite's DDL is transactional, though Kysely does not use it. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
