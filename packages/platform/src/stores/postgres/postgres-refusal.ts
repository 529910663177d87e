import type { PostgresAddress } from "../store-address.ts";
import { StoreRefusalError } from "../store-refusal-error.ts";
import { codeOf, passingReason } from "./postgres-errors.ts";

/** The oldest that is looked after by its makers. */
export const OLDEST_POSTGRES = 14;

/** What PostgreSQL said while a store was opened, as the refusal to open it; other errors stay as they are. */
export function asPostgresRefusal(address: PostgresAddress, error: unknown): unknown {
  if (error instanceof StoreRefusalError) return error;
  const why = sentenceFor(address, error);
  return why === undefined ? error : new StoreRefusalError(why, { cause: error });
}

/** Reads what {@link refuseUnfitPostgres} looks at. */
export const POSTGRES_FACTS = `
  SELECT current_setting('server_version_num')::int AS version,
    current_setting('server_encoding') AS encoding,
    current_setting('default_transaction_read_only') AS read_only`;

export interface PostgresFacts {
  readonly version: number;
  readonly encoding: string;
  /** "on" where a user or a database is to change nothing. */
  readonly read_only: string;
}

/** @throws StoreRefusalError where no store can be kept there. */
export function refuseUnfitPostgres(
  { shown }: PostgresAddress,
  { version, encoding, read_only }: PostgresFacts,
): void {
  const major = Math.floor(version / 10_000);
  if (major < OLDEST_POSTGRES) {
    throw new StoreRefusalError(
      `${shown} is PostgreSQL ${major}: Agate needs ${OLDEST_POSTGRES} or later. Upgrade it, or choose another server.`,
    );
  }
  if (encoding !== "UTF8") {
    throw new StoreRefusalError(
      `The database at ${shown} has the encoding ${encoding}: create one with ENCODING 'UTF8' TEMPLATE template0.`,
    );
  }
  if (read_only === "on") {
    throw new StoreRefusalError(
      `${shown} is set to change nothing (default_transaction_read_only). Set that off for its user and its database, or give another URL.`,
    );
  }
}

/** Tables that this Agate cannot know. */
export function newerPostgresSchema(
  address: PostgresAddress,
  version: number,
  known: number,
): StoreRefusalError {
  return new StoreRefusalError(
    `${address.shown} was written by a newer version of Agate (schema ${version}; this one knows ${known}). Nothing was changed: upgrade Agate.`,
  );
}

function sentenceFor(address: PostgresAddress, error: unknown): string | undefined {
  const { shown } = address;
  const { user, database } = namesIn(address);
  const message = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  if (code === "28P01" || message.startsWith("SASL")) {
    return `PostgreSQL refuses the login to ${shown}: correct the user and the password in the URL.`;
  }
  if (code?.startsWith("28")) {
    return `PostgreSQL refuses the login to ${shown} (${message}): let its pg_hba.conf take it, or correct the URL.`;
  }
  if (code === "3D000") {
    return `There is no database at ${shown}. Create it with CREATE DATABASE ${quoted(database)}, or correct the URL.`;
  }
  if (code === "42501") {
    return `The user of ${shown} may not make Agate's tables (${message}). Allow it with GRANT CREATE ON DATABASE ${quoted(database)} TO ${quoted(user)}.`;
  }
  if (code === "42P07" || code === "42710") {
    return `The schema agate of ${shown} is another program's (${message}). Nothing was changed: choose another database.`;
  }
  if (code === "25006") return `${shown} is read-only. Give the URL of the primary server.`;
  if (isTlsError(error, message)) {
    return `There is no secure connection to ${shown} (${message}). Correct the certificates, or sslmode in the URL.`;
  }
  const reason = passingReason(error);
  if (reason === undefined) return undefined;
  // A code of PostgreSQL's own: it was reached.
  if (code !== undefined && /^\d/.test(code))
    return `${shown} cannot be used now. ${reason} Try again later.`;
  const details = code === undefined ? "" : ` (${code})`;
  return `${shown} cannot be used${details}. ${reason} Start it, or correct the URL.`;
}

function isTlsError(error: unknown, message: string): boolean {
  return (
    // A certificate's file that the URL names.
    (error as NodeJS.ErrnoException | null)?.syscall === "open" ||
    /^(?:ERR_(?:TLS|SSL)_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(codeOf(error) ?? "") ||
    /SSL connections?$|SSL connection could not/.test(message)
  );
}

/** Whose login it is, and into which database, as PostgreSQL would choose. */
function namesIn({ url }: PostgresAddress): { user: string; database: string } {
  const { username, pathname, searchParams } = new URL(url);
  const user = decodeURIComponent(username) || (searchParams.get("user") ?? "");
  return { user, database: decodeURIComponent(pathname.slice(1)) || user };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
