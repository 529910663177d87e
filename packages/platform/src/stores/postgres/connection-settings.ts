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

/**
 * What every connection of ours relies on, whatever was set for the server, the database or the user:
 *
 * - Each statement sees what was committed before it. What looks behind a lock would else see what was
 *   there before it had the lock, such as a day without traces that has some by now.
 * - Whoever waits for a lock waits as long as a statement may take.
 */
export const SESSION_SETTINGS = {
  default_transaction_isolation: "'read committed'",
  lock_timeout: "0",
} as const;

/** What is acknowledged is on disk, though others may do without; a stricter setting stays. */
const DURABLE_COMMITS = `
  SELECT set_config('synchronous_commit', 'on', false)
  WHERE current_setting('synchronous_commit') = 'off'`;

/** Statements have a limit of our own. PostgreSQL 16 and older have none for transactions. */
const UNLIMITED_TRANSACTIONS = `
  SELECT set_config('transaction_timeout', '0', false)
  WHERE current_setting('transaction_timeout', true) IS NOT NULL`;

/**
 * The statements by which a connection gets its settings. Not by parameters of its start: poolers such as
 * PgBouncer refuse a client that has those.
 */
export function setSession(settings: Readonly<Record<string, string | number>>): string {
  const set = Object.entries(settings).map(([name, value]) => `SET ${name} = ${value}`);
  return [...set, DURABLE_COMMITS, UNLIMITED_TRANSACTIONS].join("; ");
}

/**
 * For connections that look up a few rows among very many: no plan that reads a whole day is ever
 * right, whatever the statistics of a new table say.
 */
export const WRITER_SETTINGS = {
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
} as const;
