/**
 * A store cannot be read or written now: its database is away, or the disk is full. Nothing of what
 * was asked for was done, and trying again later may help.
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
