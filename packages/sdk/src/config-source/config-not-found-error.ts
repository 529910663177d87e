const MARKER = Symbol.for("agate.sdk.config-not-found-error");

/**
 * There is no configuration under the application, variant or environment that was asked for.
 *
 * @example
 * try {
 *   config = await ag.ConfigManager.getFromRegistry({ environment: "staging" });
 * } catch (error) {
 *   if (!ag.ConfigNotFoundError.isInstance(error)) throw error;
 *   config = {};
 * }
 */
export class ConfigNotFoundError extends Error {
  override readonly name = "ConfigNotFoundError";
  get [MARKER](): true {
    return true;
  }

  /** Also for errors of another copy of this package. */
  static isInstance(value: unknown): value is ConfigNotFoundError {
    return typeof value === "object" && value !== null && MARKER in value;
  }
}
