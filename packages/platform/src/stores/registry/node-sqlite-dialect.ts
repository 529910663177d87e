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
 * Statements that stay prepared. A few hundred are all that the registry has, but for lists of values,
 * whose text has their length.
 */
export const MOST_STATEMENTS = 256;
/** A statement keeps what was bound to it last: one that had longer texts is prepared anew. */
export const MOST_BOUND_CHARACTERS = 8 * 1024;

/** Others run once, as migrations do; and some pragmas take effect when they are prepared. */
const REPEATED = /^\s*(?:select|insert|update|delete|with|begin|commit|rollback)\b/i;

/**
 * `node:sqlite` as Kysely's SQLite dialect expects a database to be, with its statements kept prepared. A
 * disk error becomes a {@link RegistryUnavailableError}; every statement passes here, `begin` and `commit`
 * too.
 */
export class NodeSqliteDatabase implements SqliteDatabase {
  readonly #database: DatabaseSync;
  /** By their text, the least recently used first. */
  readonly #kept = new Map<string, SqliteStatement>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** False after SQLite has rolled back because of a disk error. */
  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  prepare(sql: string): SqliteStatement {
    const kept = this.#kept.get(sql);
    this.#kept.delete(sql);
    const statement = kept ?? this.#prepareAnew(sql);
    if (REPEATED.test(sql)) this.#keep(sql, statement);
    return statement;
  }

  close(): void {
    this.#kept.clear();
    this.#database.close();
  }

  #prepareAnew(sql: string): SqliteStatement {
    const statement = attempt(() => this.#database.prepare(sql));
    return new NodeSqliteStatement(statement, () => this.#kept.delete(sql));
  }

  #keep(sql: string, statement: SqliteStatement): void {
    this.#kept.set(sql, statement);
    if (this.#kept.size <= MOST_STATEMENTS) return;
    for (const oldest of this.#kept.keys()) {
      this.#kept.delete(oldest);
      return;
    }
  }
}

class NodeSqliteStatement implements SqliteStatement {
  readonly reader: boolean;
  readonly #statement: StatementSync;
  readonly #onLargeBound: () => void;

  constructor(statement: StatementSync, onLargeBound: () => void) {
    this.#statement = statement;
    this.#onLargeBound = onLargeBound;
    this.reader = statement.columns().length > 0;
  }

  all(parameters: readonly unknown[]): unknown[] {
    if (isLarge(parameters)) this.#onLargeBound();
    return attempt(() => this.#statement.all(...(parameters as SQLInputValue[])));
  }

  run(parameters: readonly unknown[]) {
    if (isLarge(parameters)) this.#onLargeBound();
    return attempt(() => this.#statement.run(...(parameters as SQLInputValue[])));
  }

  /** Kysely runs nothing else until the last row was read. */
  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    if (isLarge(parameters)) this.#onLargeBound();
    return attempt(() => this.#statement.iterate(...(parameters as SQLInputValue[])));
  }
}

function isLarge(parameters: readonly unknown[]): boolean {
  let characters = 0;
  for (const value of parameters) {
    if (typeof value === "string") characters += value.length;
    else if (value instanceof Uint8Array) characters += value.byteLength;
  }
  return characters > MOST_BOUND_CHARACTERS;
}

function attempt<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asUnavailable(error, transientReason(error), RegistryUnavailableError);
  }
}
