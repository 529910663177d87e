const MARKER = Symbol.for("agate.sdk.declaration-error");

/** A configuration, a route or an application is declared wrongly: the program has to be changed. */
export class DeclarationError extends Error {
  override readonly name = "DeclarationError";
  get [MARKER](): true {
    return true;
  }

  /** Also for errors of another copy of this package. */
  static isInstance(value: unknown): value is DeclarationError {
    return typeof value === "object" && value !== null && MARKER in value;
  }
}
