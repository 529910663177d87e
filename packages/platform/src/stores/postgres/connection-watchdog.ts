import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { DATABASE_NOT_RESPONDING } from "../database-errors.ts";
import type { PostgresAddress } from "../store-address.ts";
import { connectionOptions } from "./connection-settings.ts";

/** In milliseconds. */
export interface WatchdogTimeouts {
  /** A query that waits this long makes the watchdog probe the database, and again after each interval. */
  readonly probeAfter: number;
  /** How long the probe waits for a reply. */
  readonly probeTimeout: number;
}

const TIMEOUTS: WatchdogTimeouts = { probeAfter: 2_000, probeTimeout: 4_000 };
/** The timeout is counted in this many steps: a process that was suspended misses a few steps, not all. */
const STEPS = 20;

/**
 * Detects that PostgreSQL no longer responds although its connections stay open: its machine has stopped,
 * or a network drops all packets. A slow statement looks the same, so the watchdog probes the database over
 * a connection of its own while a query waits. Any reply lets the query go on; without a reply, the
 * watchdog closes all connections, and the waiting queries fail.
 */
export class ConnectionWatchdog {
  readonly #address: PostgresAddress;
  readonly #sockets: SocketGroup;
  readonly #timeouts: WatchdogTimeouts;
  #isProbing = false;

  /** @param sockets The sockets of all connections that are watched. */
  constructor(
    address: PostgresAddress,
    sockets: SocketGroup,
    timeouts: WatchdogTimeouts = TIMEOUTS,
  ) {
    this.#address = address;
    this.#sockets = sockets;
    this.#timeouts = timeouts;
  }

  /** Watches while `work` waits for the database. */
  async during<Value>(work: () => Promise<Value>): Promise<Value> {
    const timer = setInterval(() => void this.#probe(), this.#timeouts.probeAfter);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  }

  /** One probe serves all queries that wait. */
  async #probe(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    try {
      if (await isUnresponsive(this.#address, this.#timeouts.probeTimeout)) {
        this.#sockets.destroyAll(new Error(DATABASE_NOT_RESPONDING));
      }
    } catch {
      // The probe itself failed, for example because a certificate's file is missing: the statement timeout
      // applies.
    }
    this.#isProbing = false;
  }
}

async function isUnresponsive(address: PostgresAddress, timeoutMs: number): Promise<boolean> {
  const sockets = new SocketGroup();
  const client = new Client({
    ...connectionOptions(address),
    connectionTimeoutMillis: 0,
    // The probe must not keep the process alive.
    stream: () => sockets.make().unref(),
  });
  client.on("error", () => {});
  const reply = client.connect().then(() => client.query("SELECT"));
  // Any reply counts, even an error. Refused connections fail on the pool itself.
  const hasReplied = reply.then(
    () => true,
    () => true,
  );
  const late = new AbortController();
  const isOver = overAfter(timeoutMs, late.signal);
  const isThere = await Promise.race([hasReplied, isOver.then(() => false)]);
  late.abort();
  if (!isThere) sockets.destroyAll(new Error(DATABASE_NOT_RESPONDING));
  await sockets.end(() => client.end());
  return !isThere;
}

async function overAfter(ms: number, signal: AbortSignal): Promise<void> {
  for (let n = 0; n < STEPS && !signal.aborted; n++) {
    await delay(ms / STEPS, undefined, { ref: false });
  }
}

/** How long closing waits for a server that does not respond. */
const GRACE_MS = 1_000;

/**
 * The sockets of some connections. If PostgreSQL no longer responds (a firewall, a stopped machine),
 * closing a connection in order would wait for minutes; a group can destroy its sockets instead.
 */
export class SocketGroup {
  readonly #open = new Set<Socket>();
  #isConnectionReset = false;

  /** For the `stream` option of a client: creates the socket of its connection. */
  readonly make = (): Socket => {
    const socket = new Socket();
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
    if (this.#isConnectionReset) setImmediate(() => socket.destroy(connectionGivenUp()));
    return socket;
  };

  /** Destroys all open sockets: queries that wait on one of them fail with this error. */
  destroyAll(error: Error): void {
    for (const socket of this.#open) socket.destroy(error);
  }

  /** Closes the connections in order; after a grace period, destroys them together with what still waits. */
  async end(inOrder: () => Promise<unknown>): Promise<void> {
    const timer = setTimeout(() => {
      this.#isConnectionReset = true;
      this.destroyAll(connectionGivenUp());
    }, GRACE_MS);
    await inOrder();
    // A pool does not wait until the connections that it closes are closed.
    await Promise.all([...this.#open].map(closed));
    clearTimeout(timer);
  }
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.once("close", () => resolve()));
}

function connectionGivenUp(): Error {
  return Object.assign(new Error("The connection is given up"), { code: "ECONNRESET" });
}
