import {
  CONNECTION_LOST,
  connectionReason,
  DATABASE_NOT_RESPONDING,
  isCertificateError,
} from "../database-errors.ts";
import type { ClickHouseAddress } from "../store-address.ts";
import { StoreRefusalError, StoreUnavailableError } from "../store-errors.ts";

/** By ClickHouse's name of an error. */
const REASONS: Readonly<Record<string, string>> = {
  ABORTED: "The database is being shut down.",
  ALL_CONNECTION_TRIES_FAILED: "The database cannot reach its shards.",
  ALL_REPLICAS_LOST: "The database has lost its replicas.",
  AUTHENTICATION_FAILED: "The database refuses the login.",
  CANNOT_SCHEDULE_TASK: "The database has no threads left.",
  CANNOT_WRITE_TO_FILE_DESCRIPTOR: "The database's disk reported an error.",
  KEEPER_EXCEPTION: "The database cannot reach its Keeper.",
  MEMORY_LIMIT_EXCEEDED: "The database has no memory left.",
  NETWORK_ERROR: "The database cannot reach its shards.",
  NO_ZOOKEEPER: "The database cannot reach its Keeper.",
  NOT_ENOUGH_SPACE: "The database's disk is full.",
  QUERY_WAS_CANCELLED: "The database cancelled the statement.",
  QUOTA_EXCEEDED: "The database's quota is used up.",
  READONLY: "The database is read-only.",
  RECEIVED_ERROR_TOO_MANY_REQUESTS: "The database is overloaded.",
  SERVER_OVERLOADED: "The database is overloaded.",
  SOCKET_TIMEOUT: "The database cannot reach its shards.",
  TABLE_IS_READ_ONLY: "The database is read-only.",
  TIMEOUT_EXCEEDED: "The database took too long.",
  TOO_FEW_LIVE_REPLICAS: "The database has lost its replicas.",
  TOO_MANY_PARTS: "The database is overloaded.",
  TOO_MANY_SIMULTANEOUS_QUERIES: "The database is overloaded.",
  UNFINISHED: "The database did not finish the statement in time.",
  UNKNOWN_STATUS_OF_INSERT: "The database does not know whether it was written.",
  ZOOKEEPER: "The database cannot reach its Keeper.",
};

/** Messages of the client that come without a code. */
const CLIENT_MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^Timeout error/, DATABASE_NOT_RESPONDING],
  [/^socket hang up|aborted|terminated/, CONNECTION_LOST],
];

/** ClickHouse's name of an error, such as `UNKNOWN_TABLE`; undefined for one that it did not report. */
export function errorType(error: unknown): string | undefined {
  const type = (error as { type?: unknown } | null)?.type;
  return typeof type === "string" ? type : undefined;
}

/**
 * Why ClickHouse cannot do something now, in one sentence without secrets; undefined for an error that a
 * retry will not fix.
 */
export function transientReason(error: unknown): string | undefined {
  const type = errorType(error);
  if (type !== undefined) return REASONS[type];
  const { code, message } = error as { code?: unknown; message?: unknown };
  const lost = connectionReason(code);
  if (lost !== undefined) return lost;
  if (isCertificateError(error)) return "The database's certificate is not trusted.";
  const said = CLIENT_MESSAGES.find(([pattern]) => pattern.test(String(message)))?.[1];
  return (
    said ?? (isForeignAnswer(error) ? "The response does not come from the database." : undefined)
  );
}

/**
 * Whether the response did not come from ClickHouse, but from another server, or from a proxy whose
 * upstream is down. The client's error then is the response's text, or a JSON syntax error.
 */
export function isForeignAnswer(error: unknown): boolean {
  if (error instanceof SyntaxError) return true;
  const { code, message } = error as { code?: unknown; message?: unknown };
  return (
    Object.getPrototypeOf(error) === Error.prototype &&
    code === undefined &&
    errorType(error) === undefined &&
    !CLIENT_MESSAGES.some(([pattern]) => pattern.test(String(message)))
  );
}

/** The connection ended before the response. */
export function isConnectionReset(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === "ECONNRESET" || code === "EPIPE" || message === "socket hang up";
}

/** The oldest supported version with a full-text index. */
const OLDEST_CLICKHOUSE = [26, 2] as const;

/** An error of ClickHouse while a store is opened, as a refusal to open it; other errors stay as they are. */
export function asClickHouseRefusal(address: ClickHouseAddress, thrown: unknown): unknown {
  if (thrown instanceof StoreRefusalError) return thrown;
  const error = thrown instanceof StoreUnavailableError ? thrown.cause : thrown;
  const why = sentenceFor(address, error, thrown);
  return why === undefined ? thrown : new StoreRefusalError(why, { cause: error });
}

/**
 * @param version As the server tells it: `26.7.2.1`.
 * @throws StoreRefusalError
 */
export function refuseOldClickHouse(address: ClickHouseAddress, version: string): void {
  if (!/^\d+\.\d+/.test(version)) throw new StoreRefusalError(noClickHouse(address.shown));
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_CLICKHOUSE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new StoreRefusalError(
    `${address.shown} is ClickHouse ${major}.${minor}: Agate needs ${oldestMajor}.${oldestMinor} or later. Upgrade it, or choose another server.`,
  );
}

function sentenceFor(
  { shown, database, username, cluster }: ClickHouseAddress,
  error: unknown,
  thrown: unknown,
): string | undefined {
  const onCluster = cluster === null ? "" : ` ON CLUSTER \`${cluster}\``;
  const createDatabase = `CREATE DATABASE \`${database}\`${onCluster}`;
  switch (errorType(error)) {
    case "AUTHENTICATION_FAILED":
    case "REQUIRED_PASSWORD":
    case "UNKNOWN_USER":
      return `ClickHouse refuses the login to ${shown}: correct the user and the password in the URL.`;
    case "ACCESS_DENIED":
      return `The user of ${shown} may not make Agate's tables. Allow it with GRANT CREATE, ALTER, SELECT, INSERT ON \`${database}\`.* TO \`${username}\`${cluster === null ? "" : ` and GRANT CLUSTER, REMOTE ON *.* TO \`${username}\``}, or create the database with ${createDatabase}.`;
    case "READONLY":
      return `The user of ${shown} may only read. Give it a profile with readonly = 0, or another user in the URL.`;
    case "SETTING_CONSTRAINT_VIOLATION":
      return `${shown} does not let its user change the setting ${settingIn(error)}, which Agate needs to. Take it out of the constraints of the user's profile, or give another user in the URL.`;
    case "CLUSTER_DOESNT_EXIST":
      return `${shown} knows no cluster called ${cluster}: name one of its remote_servers, which SELECT DISTINCT cluster FROM system.clusters lists.`;
    case "NO_ELEMENTS_IN_CONFIG":
    case "NO_ZOOKEEPER":
      return `${shown} cannot replicate tables: give every server of the cluster a Keeper and the macros shard and replica.`;
    case "UNKNOWN_DATABASE":
      return `There is no database at ${shown}. Create it with ${createDatabase}, or correct the URL.`;
    case "REPLICA_ALREADY_EXISTS":
      return `The Keeper of ${shown} still knows replicas of tables that are gone. Wait until ClickHouse has dropped them (8 minutes; at once with DROP … SYNC), or remove what is left with SYSTEM DROP REPLICA.`;
    default:
  }
  if (isNoClickHouse(error)) return noClickHouse(shown);
  if (!(thrown instanceof StoreUnavailableError)) return undefined;
  const code = (error as { code?: unknown }).code;
  if (isCertificateError(error)) {
    return `The certificate of ${shown} is not trusted (${code}). Give Node the one that has signed it with NODE_EXTRA_CA_CERTS=FILE, or correct the host in the URL.`;
  }
  const details = typeof code === "string" && code.startsWith("E") ? ` (${code})` : "";
  return `${shown} cannot be used${details}. ${thrown.reason} Start it, or correct the URL.`;
}

/** The name of the setting that an error is about. */
function settingIn(error: unknown): string {
  const { message } = error as { message?: unknown };
  return /[Ss]etting [`']?(\w+)/.exec(String(message))?.[1] ?? "that it names in its log";
}

/** The response is not HTTP: the native port, or another server. */
function isNoClickHouse(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return (
    isForeignAnswer(error) || (typeof code === "string" && /^(?:HPE_|ERR_SSL|EPROTO)/.test(code))
  );
}

function noClickHouse(shown: string): string {
  return `There is no ClickHouse at ${shown} that speaks HTTP: give the port of its HTTP interface (8123), or clickhouses:// where that is encrypted (8443).`;
}
