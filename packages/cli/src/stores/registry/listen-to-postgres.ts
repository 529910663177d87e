import { Client } from "pg";
import { connectionOptions } from "../postgres/connection-options.ts";
import type { PostgresAddress } from "../store-address.ts";

/** How often it is looked whether the connection is alive: a server may vanish without a word. */
const HEARTBEAT_MS = 10_000;
const LONGEST_ANSWER_MS = 5000;

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
): Promise<PostgresListener> {
  const client = new Client({ ...connectionOptions(address), query_timeout: LONGEST_ANSWER_MS });
  const ended = Promise.withResolvers<Error>();
  client.on("error", ended.resolve);
  client.on("end", () => ended.resolve(new Error("The connection was closed")));
  client.on("notification", ({ payload = "" }) => onNotification(payload));
  try {
    await client.connect();
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
  } catch (error) {
    await client.end();
    throw error;
  }
  const heartbeat = setInterval(() => client.query("SELECT").catch(ended.resolve), HEARTBEAT_MS);
  heartbeat.unref();
  const closed = ended.promise.then(() => {
    clearInterval(heartbeat);
    return client.end();
  });
  return {
    ended: ended.promise,
    end() {
      ended.resolve(new Error("It was closed"));
      return closed;
    },
  };
}
