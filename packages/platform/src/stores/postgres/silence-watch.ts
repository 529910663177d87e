import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import type { PostgresAddress } from "../store-address.ts";
import { connectionOptions } from "./connection-options.ts";
import { DATABASE_IS_SILENT } from "./postgres-errors.ts";
import { SocketGroup } from "./socket-group.ts";

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
export class SilenceWatch {
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
      if (await isSilent(this.#address, this.#patience.answering)) {
        this.#sockets.breakOff(new Error(DATABASE_IS_SILENT));
      }
    } catch {
      // There is no asking, as where the file of a certificate is gone: statements have their own limit.
    }
    this.#asking = false;
  }
}

async function isSilent(address: PostgresAddress, patience: number): Promise<boolean> {
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
  if (!isThere) sockets.breakOff(new Error(DATABASE_IS_SILENT));
  await sockets.end(() => client.end());
  return !isThere;
}

async function overAfter(ms: number, signal: AbortSignal): Promise<void> {
  for (let n = 0; n < MOMENTS && !signal.aborted; n++) {
    await delay(ms / MOMENTS, undefined, { ref: false });
  }
}
