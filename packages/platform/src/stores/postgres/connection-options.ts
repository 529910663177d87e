import type { ClientConfig } from "pg";
import type { PostgresAddress } from "../store-address.ts";

/** How every connection to PostgreSQL is made. */
export function connectionOptions({ url }: PostgresAddress): ClientConfig {
  return {
    connectionString: asLibpqReads(url),
    application_name: "agate",
    connectionTimeoutMillis: 5000,
    // So that a server that vanished without a word is noticed.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/**
 * `sslmode` as psql and pg_dump understand it, so that one URL is good for all. By itself `pg` takes
 * `require` for `verify-full`, and warns in many lines that it will not for ever.
 */
function asLibpqReads(url: string): string {
  const { searchParams } = new URL(url);
  if (!/^(?:prefer|require|verify-ca)$/.test(searchParams.get("sslmode") ?? "")) return url;
  return searchParams.has("uselibpqcompat") ? url : `${url}&uselibpqcompat=true`;
}
