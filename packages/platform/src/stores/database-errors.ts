import { StoreRefusalError } from "./store-errors.ts";

/** Reasons that a client is shown while the database cannot be used. */
export const DATABASE_UNREACHABLE = "The database cannot be reached.";
export const DATABASE_NOT_RESPONDING = "The database does not answer.";
export const CONNECTION_LOST = "The connection to the database was lost.";

/** By Node's code of a connection that could not be made, or was lost. */
const CONNECTION_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: DATABASE_UNREACHABLE,
  EHOSTUNREACH: DATABASE_UNREACHABLE,
  ENETUNREACH: DATABASE_UNREACHABLE,
  ENOTFOUND: DATABASE_UNREACHABLE,
  EAI_AGAIN: DATABASE_UNREACHABLE,
  EADDRNOTAVAIL: DATABASE_UNREACHABLE,
  // A socket file that does not exist.
  ENOENT: DATABASE_UNREACHABLE,
  ETIMEDOUT: DATABASE_NOT_RESPONDING,
  ECONNRESET: CONNECTION_LOST,
  EPIPE: CONNECTION_LOST,
  ECONNABORTED: CONNECTION_LOST,
};

/** The reason of a connection error; undefined for any other code. */
export function connectionReason(code: unknown): string | undefined {
  return typeof code === "string" ? CONNECTION_REASONS[code] : undefined;
}

/** Whether a certificate has expired, is for another host, or is signed by an unknown authority. */
export function isCertificateError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return (
    typeof code === "string" &&
    /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/.test(code)
  );
}

/** The tables were written by a version of Agate that knows more migrations than this one. */
export function newerSchema(
  { shown }: { readonly shown: string },
  version: number,
  known: number,
): StoreRefusalError {
  return new StoreRefusalError(
    `${shown} was written by a newer version of Agate (schema ${version}; this one knows ${known}). Nothing was changed: upgrade Agate.`,
  );
}
