import type { ClientConfig } from "pg";
import type { PostgresAddress } from "../store-address.ts";

/** How every connection to PostgreSQL is made. */
export function connectionOptions({ url }: PostgresAddress): ClientConfig {
  return {
    connectionString: asLibpqReads(url),
    application_name: "agate",
    connectionTimeoutMillis: 5000,
    // Detects a server that disappeared without closing the connection.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/**
 * `sslmode` as psql and pg_dump understand it, so that the same URL works everywhere. `pg` treats `require`
 * like `verify-full` and logs a long deprecation warning.
 */
function asLibpqReads(url: string): string {
  const { searchParams } = new URL(url);
  if (!/^(?:prefer|require|verify-ca)$/.test(searchParams.get("sslmode") ?? "")) return url;
  return searchParams.has("uselibpqcompat") ? url : `${url}&uselibpqcompat=true`;
}

/**
 * Settings that every connection relies on; they override those of the server, the database and the user:
 *
 * - Each statement sees what was committed before it. What looks behind a lock would else see what was
 *   there before it had the lock, such as a day without traces that has some by now.
 * - Waiting for a lock is limited by the statement timeout alone.
 */
export const SESSION_SETTINGS = {
  default_transaction_isolation: "'read committed'",
  lock_timeout: "0",
} as const;

/** Acknowledged commits are on disk even where the default is off; a stricter setting stays. */
const DURABLE_COMMITS = `
  SELECT set_config('synchronous_commit', 'on', false)
  WHERE current_setting('synchronous_commit') = 'off'`;

/** Agate limits statements, not transactions. PostgreSQL 16 and older do not have this setting. */
const UNLIMITED_TRANSACTIONS = `
  SELECT set_config('transaction_timeout', '0', false)
  WHERE current_setting('transaction_timeout', true) IS NOT NULL`;

/**
 * The statements by which a connection gets its settings. Not by startup parameters: poolers such as
 * PgBouncer reject clients that send them.
 */
export function setSession(settings: Readonly<Record<string, string | number>>): string {
  const set = Object.entries(settings).map(([name, value]) => `SET ${name} = ${value}`);
  return [...set, DURABLE_COMMITS, UNLIMITED_TRANSACTIONS].join("; ");
}

/**
 * For connections that look up a few rows among very many: no plan that reads a whole day is ever
 * right, even if the statistics of a new table suggest otherwise.
 */
export const WRITER_SETTINGS = {
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
} as const;
