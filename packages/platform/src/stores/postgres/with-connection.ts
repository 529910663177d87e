import { Client } from "pg";
import type { PostgresAddress } from "../store-address.ts";
import { connectionOptions } from "./connection-options.ts";
import { asPostgresRefusal } from "./postgres-refusal.ts";
import { SilenceWatch } from "./silence-watch.ts";
import { SocketGroup } from "./socket-group.ts";

/**
 * Does something over a connection of its own, as long as that may take: another server may have to be
 * waited for.
 *
 * @throws StoreRefusalError with one sentence where the database cannot be used.
 */
export async function withConnection<Value>(
  address: PostgresAddress,
  work: (client: Client) => Promise<Value>,
): Promise<Value> {
  const sockets = new SocketGroup();
  try {
    const client = new Client({ ...connectionOptions(address), stream: sockets.make });
    // Told by the query that is under way.
    client.on("error", () => {});
    try {
      await client.connect();
      return await new SilenceWatch(address, sockets).during(() => work(client));
    } finally {
      await sockets.end(() => client.end());
    }
  } catch (error) {
    throw asPostgresRefusal(address, error);
  }
}
