import type {
  PostgresCursor,
  PostgresPool,
  PostgresPoolClient,
  PostgresQueryResult,
  TransactionSettings,
} from "kysely";
import { CompiledQuery, PostgresDialect, PostgresDriver } from "kysely";
import type { PoolClient } from "pg";
import { DatabaseError, Pool } from "pg";
import {
  connectionOptions,
  SESSION_SETTINGS,
  setSession,
} from "../postgres/connection-settings.ts";
import { ConnectionWatchdog, SocketGroup } from "../postgres/connection-watchdog.ts";
import { transientReason } from "../postgres/postgres-errors.ts";
import type { PostgresAddress } from "../store-address.ts";
import { asUnavailable, RegistryUnavailableError } from "../store-errors.ts";

/** "AGATEREG": other programs may take locks in the same database. */
const REGISTRY_LOCK = 0x41_47_41_54_45_52_45_47n;

/**
 * Kysely's PostgreSQL dialect, with transactions that run one at a time across all processes, as SQLite's
 * do. A check before a write then stays true, there are no deadlocks, and changes of a registry are rare
 * enough. Read committed lets statements after the lock see what was committed before it; a snapshot of the
 * whole transaction would be older than the lock.
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
    // Read-only transactions take no lock, and may use a snapshot.
    if (settings.accessMode === "read only") return super.beginTransaction(connection, settings);
    const begin = `begin isolation level read committed; select pg_advisory_xact_lock(${REGISTRY_LOCK})`;
    try {
      await connection.executeQuery(CompiledQuery.raw(begin));
    } catch (error) {
      // Kysely treats the transaction as not begun. A connection that cannot be rolled back is discarded.
      await this.rollbackTransaction(connection).catch(() => {});
      throw error;
    }
  }
}

/** All but the first are milliseconds; 0 is none. */
export interface RegistryPoolLimits {
  /** At a time. */
  readonly connections: number;
  /** How long a request waits for a connection. */
  readonly connecting: number;
  /** How long a transaction waits for those before it. */
  readonly locking: number;
  /** How long a statement may take. */
  readonly answering: number;
  /** After how long without an answer a connection is given up; a while after `answering` by default. */
  readonly stalling?: number;
  /** How long a transaction may be idle: it blocks all others. */
  readonly resting: number;
}

export const REGISTRY_POOL_LIMITS: RegistryPoolLimits = {
  // Few are enough: changes run one at a time, and reads are short.
  connections: 8,
  connecting: 5000,
  // Less than `connecting`: a transaction that waits for the lock holds a connection, and readers need
  // some.
  locking: 4000,
  answering: 10_000,
  resting: 10_000,
};

/** For a connection that is polled several times a second, and must be replaced as soon as it stalls. */
export const WATCH_POOL_LIMITS: RegistryPoolLimits = {
  ...REGISTRY_POOL_LIMITS,
  connections: 1,
  stalling: 400,
};

/**
 * `pg`'s pool as Kysely expects one. A transient error becomes a {@link RegistryUnavailableError}; every
 * statement passes here, `begin` and `commit` too.
 */
export class PostgresRegistryPool implements PostgresPool {
  readonly options = {};
  readonly #pool: Pool;
  readonly #sockets = new SocketGroup();
  readonly #silence: ConnectionWatchdog;
  readonly #settings: string;
  readonly #isSet = new WeakSet<PoolClient>();

  constructor(address: PostgresAddress, limits: RegistryPoolLimits = REGISTRY_POOL_LIMITS) {
    const { connections, connecting, locking, answering, resting } = limits;
    const { stalling = answering && answering + connecting } = limits;
    this.#silence = new ConnectionWatchdog(address, this.#sockets);
    this.#settings = setSession({
      ...SESSION_SETTINGS,
      lock_timeout: locking,
      statement_timeout: answering,
      idle_in_transaction_session_timeout: resting,
    });
    this.#pool = new Pool({
      ...connectionOptions(address),
      stream: this.#sockets.make,
      max: connections,
      connectionTimeoutMillis: connecting,
      // The server's own statement timeout is shorter; this one is for a server that disappeared.
      query_timeout: stalling,
    });
    // A statement reports its own failure. Without listeners, a connection that breaks while idle, or
    // between two statements, would end the process.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  async connect(): Promise<PostgresPoolClient> {
    const client = await this.#pool.connect().catch(rethrow);
    if (!this.#isSet.has(client)) {
      const set = this.#silence.during(() => client.query(this.#settings));
      await set.catch((error: unknown) => {
        client.release(true);
        rethrow(error);
      });
      this.#isSet.add(client);
    }
    return new RegistryClient(client, this.#silence);
  }

  end(): Promise<void> {
    return this.#sockets.end(() => this.#pool.end());
  }
}

class RegistryClient implements PostgresPoolClient {
  readonly #client: PostgresPoolClient;
  readonly #silence: ConnectionWatchdog;
  #isBroken = false;

  constructor(client: PostgresPoolClient, silence: ConnectionWatchdog) {
    this.#client = client;
    this.#silence = silence;
  }

  query<Row>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  query<Row>(
    what: string | PostgresCursor<Row>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<Row>> | PostgresCursor<Row> {
    return typeof what === "string" ? this.#query(what, parameters) : this.#client.query(what);
  }

  async #query<Row>(
    sql: string,
    parameters: readonly unknown[],
  ): Promise<PostgresQueryResult<Row>> {
    try {
      return await this.#silence.during(() => this.#client.query<Row>(sql, parameters));
    } catch (error) {
      // A late response would be taken for the response to the next statement.
      if (!(error instanceof DatabaseError)) this.#isBroken = true;
      return rethrow(error);
    }
  }

  release(destroy = false): void {
    this.#client.release(destroy || this.#isBroken);
  }
}

function rethrow(error: unknown): never {
  throw asUnavailable(error, transientReason(error), RegistryUnavailableError);
}
