/** What Node says of a connection: none came about, or it was broken off. */
const CONNECTION_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
]);

/** The reason, and the message of the error, when PostgreSQL gives no answer at all. */
export const DATABASE_IS_SILENT = "The database does not answer.";

/** What the client says without a code. */
const CLIENT_MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^timeout exceeded when trying to connect$/, "All connections to the database are in use."],
  [
    /^(?:timeout expired|Connection terminated due to connection timeout|Query read timeout)$/,
    DATABASE_IS_SILENT,
  ],
  [/^The database does not answer\.$/, DATABASE_IS_SILENT],
  [/^Connection terminated|not queryable$/, "The connection to the database was broken off."],
];

/** By PostgreSQL's code, or the class that its first two characters are. */
const REASONS: Readonly<Record<string, string>> = {
  "08": "The connection to the database was broken off.",
  "25006": "The database is read-only.",
  "25P03": "The database took too long.",
  "25P04": "The database took too long.",
  "28": "The database refuses the login.",
  "3D000": "The database is not there.",
  "40001": "The database gave way to somebody else's change.",
  "40P01": "The database gave way to somebody else's change.",
  "53": "The database has no resources left.",
  "53100": "The database's disk is full.",
  "53200": "The database has no memory left.",
  "53300": "The database has too many connections.",
  "55P03": "The database is locked by somebody else.",
  "57014": "The database took too long.",
  "57P01": "The database is being shut down.",
  "57P02": "The database has crashed, and recovers.",
  "57P03": "The database is starting up or shutting down.",
  "57P05": "The connection to the database was broken off.",
  "58030": "The database's disk reported an error.",
};

/** PostgreSQL's code of an error, or Node's. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

/**
 * Whether an error is that of what was to be written or read, and not of the tables (class 42), nor
 * one that passes: trying again will not mend it, and others are not concerned.
 */
export function isOfData(error: unknown): boolean {
  return passingReason(error) === undefined && !codeOf(error)?.startsWith("42");
}

/**
 * Why PostgreSQL cannot do something now, in one sentence without secrets; undefined for an error that
 * trying again will not mend.
 */
export function passingReason(error: unknown): string | undefined {
  const code = codeOf(error);
  if (code === undefined) {
    const message = error instanceof Error ? error.message : "";
    return CLIENT_MESSAGES.find(([pattern]) => pattern.test(message))?.[1];
  }
  if (CONNECTION_CODES.has(code)) {
    return code === "ECONNRESET" || code === "EPIPE"
      ? "The connection to the database was broken off."
      : "The database cannot be reached.";
  }
  return REASONS[code] ?? REASONS[code.slice(0, 2)];
}
