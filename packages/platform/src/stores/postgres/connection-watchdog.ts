import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { DATABASE_NOT_RESPONDING } from "../database-errors.ts";
import type { PostgresAddress } from "../store-address.ts";
import { connectionOptions } from "./connection-settings.ts";

/** In milliseconds. */
export interface Patience {
  /** Whoever waits for longer asks whether the database is there, and again each time. */
  readonly before: number;
  /** So long the database may take to say so. */
  readonly answering: number;
}

const PATIENCE: Patience = { before: 2_000, answering: 4_000 };
/** Time is counted in as many moments: a process that was itself away has missed a few, not all. */
const MOMENTS = 20;

/**
 * Notices that PostgreSQL has fallen silent: its machine has stopped, or a network swallows everything,
 * and no connection is broken off. Nothing tells that from a statement that takes long, so whoever waits
 * for long asks over a connection of its own. Whatever comes back, the statement may go on. Where nothing
 * does, all connections are broken off, and those who wait are told.
 */
export class ConnectionWatchdog {
  readonly #address: PostgresAddress;
  readonly #sockets: SocketGroup;
  readonly #patience: Patience;
  #asking = false;

  /** @param sockets Of all connections that are watched. */
  constructor(address: PostgresAddress, sockets: SocketGroup, patience: Patience = PATIENCE) {
    this.#address = address;
    this.#sockets = sockets;
    this.#patience = patience;
  }

  /** Watches while something waits for the database. */
  async during<Value>(work: () => Promise<Value>): Promise<Value> {
    const timer = setInterval(() => void this.#ask(), this.#patience.before);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  }

  /** Once for all who wait. */
  async #ask(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      if (await isUnresponsive(this.#address, this.#patience.answering)) {
        this.#sockets.breakOff(new Error(DATABASE_NOT_RESPONDING));
      }
    } catch {
      // There is no asking, as where the file of a certificate is gone: statements have their own limit.
    }
    this.#asking = false;
  }
}

async function isUnresponsive(address: PostgresAddress, patience: number): Promise<boolean> {
  const sockets = new SocketGroup();
  const client = new Client({
    ...connectionOptions(address),
    connectionTimeoutMillis: 0,
    // Nobody waits for it who has ended.
    stream: () => sockets.make().unref(),
  });
  client.on("error", () => {});
  const word = client.connect().then(() => client.query("SELECT"));
  // A refusal is a word, too. That nobody is there the connections hear by themselves.
  const isHeard = word.then(
    () => true,
    () => true,
  );
  const late = new AbortController();
  const isOver = overAfter(patience, late.signal);
  const isThere = await Promise.race([isHeard, isOver.then(() => false)]);
  late.abort();
  if (!isThere) sockets.breakOff(new Error(DATABASE_NOT_RESPONDING));
  await sockets.end(() => client.end());
  return !isThere;
}

async function overAfter(ms: number, signal: AbortSignal): Promise<void> {
  for (let n = 0; n < MOMENTS && !signal.aborted; n++) {
    await delay(ms / MOMENTS, undefined, { ref: false });
  }
}

/** How long a server that says nothing is waited for when connections are ended in order. */
const GRACE_MS = 1_000;

/**
 * The sockets of some connections. PostgreSQL may have fallen silent without breaking them off, behind
 * a firewall or with its machine: who says goodbye to it then waits for minutes.
 */
export class SocketGroup {
  readonly #open = new Set<Socket>();
  #isConnectionReset = false;

  /** For the option `stream` of a client: makes the socket of its connection. */
  readonly make = (): Socket => {
    const socket = new Socket();
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
    if (this.#isConnectionReset) setImmediate(() => socket.destroy(givenUp()));
    return socket;
  };

  /** Breaks off those that there are: all that waits on one of them ends with this error. */
  breakOff(error: Error): void {
    for (const socket of this.#open) socket.destroy(error);
  }

  /** Ends the connections: in order, or after a moment by breaking them off, with all that waits. */
  async end(inOrder: () => Promise<unknown>): Promise<void> {
    const timer = setTimeout(() => {
      this.#isConnectionReset = true;
      this.breakOff(givenUp());
    }, GRACE_MS);
    await inOrder();
    // A pool does not wait for those that it has said goodbye to.
    await Promise.all([...this.#open].map(closed));
    clearTimeout(timer);
  }
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.once("close", () => resolve()));
}

function givenUp(): Error {
  return Object.assign(new Error("The connection is given up"), { code: "ECONNRESET" });
}
