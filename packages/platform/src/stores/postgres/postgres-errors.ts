import {
  CONNECTION_LOST,
  connectionReason,
  DATABASE_NOT_RESPONDING,
  isCertificateError,
} from "../database-errors.ts";
import type { PostgresAddress } from "../store-address.ts";
import { StoreRefusalError } from "../store-errors.ts";

/** Messages of the client that come without a code. */
const CLIENT_MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^timeout exceeded when trying to connect$/, "All connections to the database are in use."],
  [
    /^(?:timeout expired|Connection terminated due to connection timeout|Query read timeout)$/,
    DATABASE_NOT_RESPONDING,
  ],
  [new RegExp(`^${DATABASE_NOT_RESPONDING}$`), DATABASE_NOT_RESPONDING],
  [/^Connection terminated|not queryable$/, CONNECTION_LOST],
];

/** By PostgreSQL's code, or the class that its first two characters are. */
const REASONS: Readonly<Record<string, string>> = {
  "08": CONNECTION_LOST,
  "25006": "The database is read-only.",
  "25P03": "The database took too long.",
  "25P04": "The database took too long.",
  "28": "The database refuses the login.",
  "3D000": "The database does not exist.",
  "40001": "The database aborted the transaction because of a concurrent one.",
  "40P01": "The database aborted the transaction because of a concurrent one.",
  "53": "The database has no resources left.",
  "53100": "The database's disk is full.",
  "53200": "The database has no memory left.",
  "53300": "The database has too many connections.",
  "55P03": "The database is locked by another transaction.",
  "57014": "The database took too long.",
  "57P01": "The database is being shut down.",
  "57P02": "The database has crashed and is recovering.",
  "57P03": "The database is starting up or shutting down.",
  "57P05": CONNECTION_LOST,
  "58030": "The database's disk reported an error.",
};

/** PostgreSQL's code of an error, or Node's. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

/**
 * Whether the data caused an error, and neither the tables (class 42) nor a transient condition: a retry
 * will fail again, and other data is not affected.
 */
export function isDataError(error: unknown): boolean {
  return transientReason(error) === undefined && !codeOf(error)?.startsWith("42");
}

/**
 * Why PostgreSQL cannot do something now, in one sentence without secrets; undefined for an error that a
 * retry will not fix.
 */
export function transientReason(error: unknown): string | undefined {
  const code = codeOf(error);
  if (code === undefined) {
    const message = error instanceof Error ? error.message : "";
    return CLIENT_MESSAGES.find(([pattern]) => pattern.test(message))?.[1];
  }
  return connectionReason(code) ?? REASONS[code] ?? REASONS[code.slice(0, 2)];
}

/** The oldest supported version. */
const OLDEST_POSTGRES = 14;

/** An error of PostgreSQL while a store is opened, as a refusal to open it; other errors stay as they are. */
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
  /** "on" for a read-only user or database. */
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
  const reason = transientReason(error);
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
    isCertificateError(error) ||
    /^ERR_(?:TLS|SSL)_/.test(codeOf(error) ?? "") ||
    /SSL connections?$|SSL connection could not/.test(message)
  );
}

/** The user and the database of a URL, with PostgreSQL's defaults. */
function namesIn({ url }: PostgresAddress): { user: string; database: string } {
  const { username, pathname, searchParams } = new URL(url);
  const user = decodeURIComponent(username) || (searchParams.get("user") ?? "");
  return { user, database: decodeURIComponent(pathname.slice(1)) || user };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Whether a transaction was aborted because of a concurrent one: it can be run again. */
export function isSerializationFailure(error: unknown): boolean {
  const code = codeOf(error);
  return code === "40P01" || code === "40001";
}

/**
 * Whether a day's tables do not exist, or no longer. An insert of a row for which there is no partition
 * fails as a violated constraint.
 */
export function isMissingDay(error: unknown): boolean {
  const code = codeOf(error);
  return code === "42P01" || code === "23514";
}
