/** What Node says of a connection: none came about, or it was broken off. */
const CONNECTION_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The database cannot be reached.",
  EHOSTUNREACH: "The database cannot be reached.",
  ENETUNREACH: "The database cannot be reached.",
  ENOTFOUND: "The database cannot be reached.",
  EAI_AGAIN: "The database cannot be reached.",
  EADDRNOTAVAIL: "The database cannot be reached.",
  ETIMEDOUT: "The database does not answer.",
  ECONNRESET: "The connection to the database was broken off.",
  EPIPE: "The connection to the database was broken off.",
  ECONNABORTED: "The connection to the database was broken off.",
};

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
  QUERY_WAS_CANCELLED: "The database broke it off.",
  QUOTA_EXCEEDED: "The database's quota is used up.",
  READONLY: "The database is read-only.",
  RECEIVED_ERROR_TOO_MANY_REQUESTS: "The database has too much to do.",
  SERVER_OVERLOADED: "The database has too much to do.",
  SOCKET_TIMEOUT: "The database cannot reach its shards.",
  TABLE_IS_READ_ONLY: "The database is read-only.",
  TIMEOUT_EXCEEDED: "The database took too long.",
  TOO_FEW_LIVE_REPLICAS: "The database has lost its replicas.",
  TOO_MANY_PARTS: "The database has too much to do.",
  TOO_MANY_SIMULTANEOUS_QUERIES: "The database has too much to do.",
  UNFINISHED: "The database has not finished it.",
  UNKNOWN_STATUS_OF_INSERT: "The database does not know whether it was written.",
  ZOOKEEPER: "The database cannot reach its Keeper.",
};

/** What the client says without a code. */
const CLIENT_MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^Timeout error/, "The database does not answer."],
  [/^socket hang up|aborted|terminated/, "The connection to the database was broken off."],
];

/** ClickHouse's name of an error, such as `UNKNOWN_TABLE`; undefined for one that it did not report. */
export function errorType(error: unknown): string | undefined {
  const type = (error as { type?: unknown } | null)?.type;
  return typeof type === "string" ? type : undefined;
}

/**
 * Why ClickHouse cannot do something now, in one sentence without secrets; undefined for an error
 * that trying again will not mend.
 */
export function passingReason(error: unknown): string | undefined {
  const type = errorType(error);
  if (type !== undefined) return REASONS[type];
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === "string" && code in CONNECTION_REASONS) return CONNECTION_REASONS[code];
  if (isUntrusted(error)) return "The database's certificate is not trusted.";
  const said = CLIENT_MESSAGES.find(([pattern]) => pattern.test(String(message)))?.[1];
  return said ?? (isOtherAnswer(error) ? "Something else answers for the database." : undefined);
}

/**
 * What answered is no ClickHouse: another server, or a proxy whose own is away. The client's error is
 * then the answer's text, or that it is no JSON.
 */
export function isOtherAnswer(error: unknown): boolean {
  if (error instanceof SyntaxError) return true;
  const { code, message } = error as { code?: unknown; message?: unknown };
  return (
    Object.getPrototypeOf(error) === Error.prototype &&
    code === undefined &&
    errorType(error) === undefined &&
    !CLIENT_MESSAGES.some(([pattern]) => pattern.test(String(message)))
  );
}

/** A certificate that has expired, is for another host, or is signed by nobody that is known. */
export function isUntrusted(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return (
    typeof code === "string" &&
    /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/.test(code)
  );
}

/** The connection ended before an answer came. */
export function isBrokenOff(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === "ECONNRESET" || code === "EPIPE" || message === "socket hang up";
}
