/**
 * The registry cannot be read or written now: the disk is full, say. Nothing of what was asked for
 * was done, and trying again later may help.
 */
export class RegistryUnavailableError extends Error {
  override readonly name = "RegistryUnavailableError";
  /** One sentence: "The disk is full." */
  readonly reason: string;

  constructor(reason: string, options: { readonly cause: unknown }) {
    super(reason, options);
    this.reason = reason;
  }
}
