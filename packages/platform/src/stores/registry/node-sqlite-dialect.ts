import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { DatabaseConnection, SqliteDatabase, SqliteStatement } from "kysely";
import { CompiledQuery, SqliteAdapter, SqliteDialect, SqliteDriver } from "kysely";
import { transientReason } from "../sqlite/sqlite-errors.ts";
import { asUnavailable, RegistryUnavailableError } from "../store-errors.ts";

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

  /** If SQLite has already rolled back, another `rollback` would hide the original error. */
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

/**
 * `node:sqlite` as Kysely's SQLite dialect expects a database to be. A disk error becomes a {@link
 * RegistryUnavailableError}; every statement passes here, `begin` and `commit` too.
 */
export class NodeSqliteDatabase implements SqliteDatabase {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** False after SQLite has rolled back because of a disk error. */
  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  prepare(sql: string): SqliteStatement {
    return new NodeSqliteStatement(attempt(() => this.#database.prepare(sql)));
  }

  close(): void {
    this.#database.close();
  }
}

class NodeSqliteStatement implements SqliteStatement {
  readonly reader: boolean;
  readonly #statement: StatementSync;

  constructor(statement: StatementSync) {
    this.#statement = statement;
    this.reader = statement.columns().length > 0;
  }

  all(parameters: readonly unknown[]): unknown[] {
    return attempt(() => this.#statement.all(...(parameters as SQLInputValue[])));
  }

  run(parameters: readonly unknown[]) {
    return attempt(() => this.#statement.run(...(parameters as SQLInputValue[])));
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return attempt(() => this.#statement.iterate(...(parameters as SQLInputValue[])));
  }
}

function attempt<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asUnavailable(error, transientReason(error), RegistryUnavailableError);
  }
}
