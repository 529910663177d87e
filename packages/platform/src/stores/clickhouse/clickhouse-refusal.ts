import type { ClickHouseAddress } from "../store-address.ts";
import { StoreRefusalError } from "../store-refusal-error.ts";
import { StoreUnavailableError } from "../store-unavailable-error.ts";
import { errorType, isOtherAnswer, isUntrusted } from "./clickhouse-errors.ts";

/** The first with an index of words that is looked after by its makers. */
export const OLDEST_CLICKHOUSE = [26, 2] as const;

/** What ClickHouse said while a store was opened, as the refusal to open it; other errors stay as they are. */
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

/** Tables that this Agate cannot know. */
export function newerClickHouseSchema(
  address: ClickHouseAddress,
  version: number,
  known: number,
): StoreRefusalError {
  return new StoreRefusalError(
    `${address.shown} was written by a newer version of Agate (schema ${version}; this one knows ${known}). Nothing was changed: upgrade Agate.`,
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
  if (isUntrusted(error)) {
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

/** Something answered, in another language: its native port, or another server. */
function isNoClickHouse(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return (
    isOtherAnswer(error) || (typeof code === "string" && /^(?:HPE_|ERR_SSL|EPROTO)/.test(code))
  );
}

function noClickHouse(shown: string): string {
  return `There is no ClickHouse at ${shown} that speaks HTTP: give the port of its HTTP interface (8123), or clickhouses:// where that is encrypted (8443).`;
}
