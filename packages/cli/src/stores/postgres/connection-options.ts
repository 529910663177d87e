import type { ClientConfig } from "pg";
import type { PostgresAddress } from "../store-address.ts";

/** How every connection to PostgreSQL is made. */
export function connectionOptions({ url }: PostgresAddress): ClientConfig {
  return {
    connectionString: url,
    application_name: "agate",
    connectionTimeoutMillis: 5000,
    // So that a server that vanished without a word is noticed.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}
