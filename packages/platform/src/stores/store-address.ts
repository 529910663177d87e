/** A data directory. */
export interface SqliteAddress {
  readonly kind: "sqlite";
  readonly directory: string;
}

export interface PostgresAddress {
  readonly kind: "postgres";
  /** Contains the password: must not be shown. */
  readonly url: string;
  /** For messages: the same without the password. */
  readonly shown: string;
}

export interface ClickHouseAddress {
  readonly kind: "clickhouse";
  /** Of its HTTP interface, without credentials. */
  readonly url: string;
  readonly username: string;
  /** Must not be shown. */
  readonly password: string;
  readonly database: string;
  /** A cluster that the server's configuration names; null: one server. */
  readonly cluster: string | null;
  /** For messages. */
  readonly shown: string;
}

/** Where spans are kept. */
export type StoreAddress = SqliteAddress | PostgresAddress | ClickHouseAddress;
/** Where the registry is kept. */
export type RegistryAddress = SqliteAddress | PostgresAddress;

export type ParsedAddress<Address> =
  | { readonly kind: "parsed"; readonly address: Address }
  /** One sentence that says what to write. */
  | { readonly kind: "invalid"; readonly reason: string };

/**
 * Reads where spans are to be kept.
 *
 * @example
 * parseStoreAddress("postgres://agate:secret@db/agate")
 * parseStoreAddress("clickhouse://agate:secret@ch:8123/agate?cluster=main")
 * parseStoreAddress("sqlite:.agate")
 */
export function parseStoreAddress(
  text: string,
  allowed = "sqlite:FOLDER, postgres://… or clickhouse://…",
): ParsedAddress<StoreAddress> {
  if (/^clickhouses?:/.test(text)) return parseClickHouse(text);
  return parseRegistryAddress(text, allowed);
}

/**
 * Reads where the registry is to be kept: `postgres://…` or `sqlite:FOLDER`.
 *
 * @param allowed What the refusal names, for places that take less.
 */
export function parseRegistryAddress(
  text: string,
  allowed = "sqlite:FOLDER or postgres://…",
): ParsedAddress<RegistryAddress> {
  const [scheme] = /^(?:sqlite|postgres|postgresql):/.exec(text) ?? [];
  if (scheme === undefined) return invalid(`It must be ${allowed}.`);
  if (scheme !== "sqlite:") return parsePostgres(text);
  const directory = text.slice(scheme.length);
  if (directory === "") return invalid("A folder must follow sqlite:, as in sqlite:.agate.");
  return parsed({ kind: "sqlite", directory });
}

function parsePostgres(text: string): ParsedAddress<PostgresAddress> {
  const url = parseUrl(text);
  // A socket's folder is given as a parameter.
  if (url === null || (url.hostname === "" && !url.searchParams.has("host"))) {
    return invalid(noUrl("postgres://user:password@host/database"));
  }
  const sslMode = url.searchParams.get("sslmode");
  if (sslMode !== null && !SSL_MODES.includes(sslMode)) {
    return invalid(`Its sslmode must be one of ${SSL_MODES.join(", ")}.`);
  }
  if (sslMode === "verify-ca" && !url.searchParams.has("sslrootcert")) {
    return invalid("sslmode=verify-ca needs sslrootcert, the file of the authority's certificate.");
  }
  return parsed({ kind: "postgres", url: text, shown: withoutSecrets(url) });
}

function parseClickHouse(text: string): ParsedAddress<ClickHouseAddress> {
  const url = parseUrl(text);
  if (url === null || url.hostname === "") {
    return invalid(noUrl("clickhouse://user:password@host:8123/database"));
  }
  for (const name of url.searchParams.keys()) {
    if (name !== "cluster") {
      return invalid(`It has the parameter ${JSON.stringify(name)}; the only one is cluster.`);
    }
  }
  const isSecure = url.protocol === "clickhouses:";
  const database = decodeURIComponent(url.pathname.slice(1)) || "default";
  const cluster = url.searchParams.get("cluster");
  for (const [what, name] of [
    ["database", database],
    ["cluster", cluster ?? "none"],
  ]) {
    if (name === undefined || !/^[A-Za-z_][A-Za-z0-9_-]*$/.test(name)) {
      return invalid(
        `The ${what}'s name ${JSON.stringify(name)} must be letters, digits, _ and -, and begin with no digit.`,
      );
    }
  }
  return parsed({
    kind: "clickhouse",
    url: `${isSecure ? "https" : "http"}://${url.hostname}:${url.port || (isSecure ? 8443 : 8123)}`,
    username: decodeURIComponent(url.username) || "default",
    password: decodeURIComponent(url.password),
    database,
    cluster,
    shown: withoutSecrets(url),
  });
}

/**
 * libpq's modes that the client supports, and its own `no-verify`. It would treat any other as
 * `verify-full`.
 */
const SSL_MODES = ["disable", "prefer", "require", "no-verify", "verify-ca", "verify-full"];

/** Null also for invalid percent-encoding, which the clients would reject later. */
function parseUrl(text: string): URL | null {
  try {
    decodeURIComponent(text);
  } catch {
    return null;
  }
  return URL.parse(text);
}

function noUrl(example: string): string {
  return `It is no URL with a host, as in ${example}. Write %40 for an @ in a password, and %2F for a slash.`;
}

/** A password may be among the parameters, too. */
function withoutSecrets(url: URL): string {
  const shown = new URL(url);
  shown.password = "";
  shown.search = "";
  shown.hash = "";
  const cluster = url.searchParams.get("cluster");
  return cluster === null ? shown.href : `${shown.href}?cluster=${cluster}`;
}

function parsed<Address>(address: Address): ParsedAddress<Address> {
  return { kind: "parsed", address };
}

function invalid(reason: string): { readonly kind: "invalid"; readonly reason: string } {
  return { kind: "invalid", reason };
}
