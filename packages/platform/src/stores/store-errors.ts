/**
 * A store cannot be read or written now: its database is unavailable, or the disk is full. The operation
 * was not done, and can be retried later.
 */
export class StoreUnavailableError extends Error {
  override readonly name: string = "StoreUnavailableError";
  /** One sentence without secrets: "The disk is full." */
  readonly reason: string;

  constructor(reason: string, options: { readonly cause: unknown }) {
    super(reason, options);
    this.reason = reason;
  }
}

/** A store cannot be opened: the message is one sentence for the operator. Nothing was changed. */
export class StoreRefusalError extends Error {
  override readonly name: string = "StoreRefusalError";
}

/** The registry cannot be read or written now. */
export class RegistryUnavailableError extends StoreUnavailableError {
  override readonly name = "RegistryUnavailableError";
}

/**
 * The error to throw in place of one that a database has thrown.
 *
 * @param reason Why the database cannot be used now; undefined for an error that a retry will not fix,
 * which stays as it is.
 */
export function asUnavailable(
  error: unknown,
  reason: string | undefined,
  Unavailable: typeof StoreUnavailableError = StoreUnavailableError,
): unknown {
  return reason === undefined ? error : new Unavailable(reason, { cause: error });
}

/** A background task of a store failed. The store keeps working, and no data is lost. */
export interface StoreTrouble {
  /** One sentence. */
  readonly what: string;
  readonly error: unknown;
}
