import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { SqliteDatabase, SqliteStatement } from "kysely";
import { passingReason } from "../sqlite/sqlite-errors.ts";
import { RegistryUnavailableError } from "./registry-unavailable-error.ts";

/**
 * `node:sqlite` as Kysely's SQLite dialect expects a database to be. What the disk cannot do now is a
 * {@link RegistryUnavailableError}; every statement passes here, `begin` and `commit` too.
 */
export class NodeSqliteDatabase implements SqliteDatabase {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** SQLite ends a transaction by itself when the disk fails it. */
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
    const reason = passingReason(error);
    throw reason === undefined ? error : new RegistryUnavailableError(reason, { cause: error });
  }
}
