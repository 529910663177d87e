import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { connectionOptions } from "../postgres/connection-options.ts";
import { SocketGroup } from "../postgres/socket-group.ts";
import type { PostgresAddress } from "../store-address.ts";

/** In milliseconds. */
export interface Heartbeat {
  /** How often it is looked whether the connection is alive: a server may vanish without a word. */
  readonly every: number;
  readonly longestAnswer: number;
}

const HEARTBEAT: Heartbeat = { every: 10_000, longestAnswer: 5000 };

/** A connection on which PostgreSQL tells what is announced. */
export interface PostgresListener {
  /** Why nothing is told any more. */
  readonly ended: Promise<Error>;
  end(): Promise<void>;
}

/** Resolves when it listens: whatever is committed after that is told. */
export async function listenToPostgres(
  address: PostgresAddress,
  channel: string,
  onNotification: (payload: string) => void,
  { every, longestAnswer }: Heartbeat = HEARTBEAT,
): Promise<PostgresListener> {
  const sockets = new SocketGroup();
  const client = new Client({
    ...connectionOptions(address),
    stream: sockets.make,
    query_timeout: longestAnswer,
  });
  const ended = Promise.withResolvers<Error>();
  client.on("error", ended.resolve);
  client.on("end", () => ended.resolve(new Error("The connection was closed")));
  client.on("notification", ({ payload = "" }) => onNotification(payload));
  try {
    await client.connect();
    // It says little: a server that ends idle sessions would end it again and again.
    await client.query("SET idle_session_timeout = 0");
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
  } catch (error) {
    await sockets.end(() => client.end());
    throw error;
  }
  const stopped = new AbortController();
  const beat = async () => {
    for (;;) {
      await delay(every, undefined, { signal: stopped.signal, ref: false });
      await client.query("SELECT");
    }
  };
  beat().catch(ended.resolve);
  const closed = ended.promise.then(() => {
    stopped.abort();
    return sockets.end(() => client.end());
  });
  return {
    ended: ended.promise,
    end() {
      ended.resolve(new Error("It was closed"));
      return closed;
    },
  };
}
