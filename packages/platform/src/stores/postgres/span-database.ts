import { once } from "node:events";
import { connect } from "node:net";
import { finished } from "node:stream/promises";
import type { ClientBase, PoolClient } from "pg";
import { Pool } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { QueryQueueFullError } from "../query-lane.ts";
import type { PostgresAddress } from "../store-address.ts";
import { asUnavailable } from "../store-errors.ts";
import { connectionOptions, SESSION_SETTINGS, setSession } from "./connection-settings.ts";
import type { WatchdogTimeouts } from "./connection-watchdog.ts";
import { ConnectionWatchdog, SocketGroup } from "./connection-watchdog.ts";
import type { CopyRows } from "./copy-rows.ts";
import { codeOf, isSerializationFailure, transientReason } from "./postgres-errors.ts";
import { toStorable, VALUE_SETTINGS, VALUE_TYPES } from "./value-types.ts";

/** What a statement may be given. */
export type SqlValue = string | number | null | readonly (string | number | null)[];

export interface SpanDatabaseOptions {
  /** At most this many connections; they are made when they are needed. */
  readonly connections: number;
  /** How long a statement may take. */
  readonly statementMs: number;
  /** Settings of each connection. */
  readonly settings?: Readonly<Record<string, string>>;
  /** When the database counts as unresponsive. */
  readonly timeouts?: WatchdogTimeouts;
}

/** Statements over one connection. Values come back as {@link VALUE_TYPES} has them. */
export interface SqlRunner {
  /** @param name Under which a statement that is run often is prepared, once a connection. */
  query<Row extends object>(
    text: string,
    values?: readonly SqlValue[],
    name?: string,
  ): Promise<Row[]>;
}

/** Statements that may also be run together over one snapshot: commits in between are not seen. */
export interface QueryRunner extends SqlRunner {
  snapshot<Result>(work: (runner: SqlRunner) => Promise<Result>): Promise<Result>;
}

export interface SqlTransaction extends SqlRunner {
  /** @param into Table and columns. */
  copy(into: string, rows: CopyRows): Promise<void>;
}

/** Begins a transaction that reads one snapshot. */
export const SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";

/** The signal of statements that run to their end. */
const NEVER = new AbortController().signal;

/** How much longer the client waits after the server's own timeout. */
const GRACE_MS = 5_000;
/** Statements that may wait for a connection. */
const MOST_WAITING = 1_000;
/** How often a transaction runs that a concurrent one aborts. */
const ATTEMPTS = 8;

/** Some connections to the database that holds spans. */
export class SpanDatabase implements SqlRunner {
  readonly #pool: Pool;
  readonly #sockets = new SocketGroup();
  readonly #silence: ConnectionWatchdog;
  readonly #settings: string;
  /** Connections that have these settings. */
  readonly #prepared = new WeakSet<PoolClient>();

  constructor(address: PostgresAddress, options: SpanDatabaseOptions) {
    const { connections, statementMs, settings = {}, timeouts } = options;
    this.#silence = new ConnectionWatchdog(address, this.#sockets, timeouts);
    this.#pool = new Pool({
      ...connectionOptions(address),
      stream: this.#sockets.make,
      max: connections,
      query_timeout: statementMs + GRACE_MS,
      types: VALUE_TYPES,
    });
    // A lost connection, idle or between two statements, emits an error event, which would end the process
    // without a listener. The next statement fails with the reason.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", () => {}));
    this.#settings = setSession({
      ...SESSION_SETTINGS,
      ...VALUE_SETTINGS,
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: statementMs,
      ...settings,
    });
  }

  /** @throws StoreUnavailableError while the database cannot answer. */
  query<Row extends object>(
    text: string,
    values: readonly SqlValue[] = [],
    name?: string,
  ): Promise<Row[]> {
    return this.#queryUntil<Row>(NEVER, text, values, name);
  }

  /** The same, for statements that are cancelled when a signal fires; they reject with its reason. */
  until(signal: AbortSignal): QueryRunner {
    return {
      query: (text, values = [], name) => this.#queryUntil(signal, text, values, name),
      snapshot: (work) => this.transaction(work, SNAPSHOT, signal),
    };
  }

  async #queryUntil<Row extends object>(
    signal: AbortSignal,
    text: string,
    values: readonly SqlValue[],
    name: string | undefined,
  ): Promise<Row[]> {
    try {
      return await this.#silence.during(() => this.#query<Row>(signal, text, values, name));
    } catch (error) {
      throw asUnavailable(error, transientReason(error));
    }
  }

  async #query<Row extends object>(
    signal: AbortSignal,
    text: string,
    values: readonly SqlValue[],
    name: string | undefined,
  ): Promise<Row[]> {
    const client = await this.#connect();
    try {
      const rows = await cancellable(client, signal, () => run<Row>(client, text, values, name));
      client.release();
      return rows;
    } catch (error) {
      // A connection that may be broken, or may receive a late cancel request, is discarded.
      client.release(signal.aborted || !isAnswer(error));
      throw error;
    }
  }

  /**
   * Runs a transaction, and runs it again after a serialization failure or a deadlock.
   *
   * @param signal Cancels them when it fires.
   * @throws StoreUnavailableError while the database cannot answer. It is then unknown whether the
   * transaction was committed.
   */
  async transaction<Result>(
    work: (transaction: SqlTransaction) => Promise<Result>,
    begin = "BEGIN",
    signal: AbortSignal = NEVER,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#silence.during(() => this.#attempt(work, begin, signal));
      } catch (error) {
        const isFinal = attempt === ATTEMPTS || signal.aborted || !isSerializationFailure(error);
        if (isFinal) throw asUnavailable(error, transientReason(error));
      }
    }
  }

  async #attempt<Result>(
    work: (transaction: SqlTransaction) => Promise<Result>,
    begin: string,
    signal: AbortSignal,
  ): Promise<Result> {
    const client = await this.#connect();
    try {
      const result = await cancellable(client, signal, async () => {
        await client.query(begin);
        const worked = await work(transactionOver(client));
        await client.query("COMMIT");
        return worked;
      });
      client.release();
      return result;
    } catch (error) {
      // A late cancel request must not hit the next user of the connection.
      if (signal.aborted) client.release(true);
      else await abandon(client, error);
      throw error;
    }
  }

  /**
   * Closes within seconds, even if the database does not respond.
   *
   * @param finish Finishes what is under way, which rejects after the grace period.
   */
  close(finish: () => Promise<unknown> = async () => {}): Promise<void> {
    return this.#sockets.end(async () => {
      await finish();
      await this.#pool.end();
    });
  }

  async #connect(): Promise<PoolClient> {
    if (this.#pool.waitingCount >= MOST_WAITING) {
      throw new QueryQueueFullError("Too many statements wait for a connection");
    }
    const client = await this.#pool.connect();
    if (this.#prepared.has(client)) return client;
    try {
      await client.query(this.#settings);
    } catch (error) {
      client.release(true);
      throw error;
    }
    this.#prepared.add(client);
    return client;
  }
}

/** Cancels what a connection runs when the signal fires; rejects with the signal's reason then. */
async function cancellable<Result>(
  client: PoolClient,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  // If the cancel request cannot be sent, the statement timeout applies.
  const cancel = () => void cancelStatement(client).catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const result = await work();
    signal.throwIfAborted();
    return result;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** Whether PostgreSQL reported the error: the connection can be used again. */
function isAnswer(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(codeOf(error) ?? "");
}

/** Ends a transaction that failed. */
async function abandon(client: PoolClient, error: unknown): Promise<void> {
  if (!isAnswer(error)) return client.release(true);
  try {
    await client.query("ROLLBACK");
    client.release();
  } catch {
    // The first error is the one to report.
    client.release(true);
  }
}

function transactionOver(client: PoolClient): SqlTransaction {
  return {
    query: (text, values = [], name) => run(client, text, values, name),
    copy: async (into, rows) => {
      if (rows.isEmpty) return;
      const stream = client.query(copyFrom(`COPY ${into} FROM STDIN (FORMAT binary)`));
      stream.end(rows.finish());
      await finished(stream);
    },
  };
}

async function run<Row extends object>(
  client: PoolClient,
  text: string,
  values: readonly SqlValue[],
  name: string | undefined,
): Promise<Row[]> {
  const { rows } = await client.query<Row>({
    text,
    values: values.map(storableValue),
    ...(name === undefined ? {} : { name }),
  });
  return rows;
}

function storableValue(value: SqlValue): unknown {
  if (typeof value === "string") return toStorable(value);
  if (typeof value !== "object" || value === null) return value;
  return value.map((item) => (typeof item === "string" ? toStorable(item) : item));
}

/** Protocol version 1234.5678: a request to cancel in place of a start. */
const CANCEL_REQUEST = (1234 << 16) | 5678;
const REQUEST_BYTES = 16;
const PATIENCE_MS = 5_000;

/** Fields of a `pg` client that its types omit. */
interface CancelKey {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

/**
 * Asks PostgreSQL to cancel what a connection runs, over a second connection as the protocol demands; this
 * works through poolers. Resolves when the request was received. PostgreSQL accepts it without TLS; behind
 * a proxy that does not, the statement timeout applies.
 */
async function cancelStatement(client: ClientBase): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as CancelKey;
  const request = Buffer.alloc(REQUEST_BYTES);
  request.writeInt32BE(REQUEST_BYTES, 0);
  request.writeInt32BE(CANCEL_REQUEST, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  socket.unref().resume().end(request);
  await once(socket, "close");
}
