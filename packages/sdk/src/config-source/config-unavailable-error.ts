const MARKER = Symbol.for("agate.sdk.config-unavailable-error");

/**
 * The registry, or the file, could not be asked for a configuration, and nothing is remembered of
 * what it said before. Trying again later may help.
 *
 * @example
 * if (ag.ConfigUnavailableError.isInstance(error)) return retryLater();
 */
export class ConfigUnavailableError extends Error {
  override readonly name = "ConfigUnavailableError";
  get [MARKER](): true {
    return true;
  }

  /** Also for errors of another copy of this package. */
  static isInstance(value: unknown): value is ConfigUnavailableError {
    return typeof value === "object" && value !== null && MARKER in value;
  }
}
