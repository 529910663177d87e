import type { ResolvedConfig } from "@agate/protocol";
import type { ConfigReference, ConfigResolution } from "./config-source.ts";

/** @throws ConfigNotFoundError or ConfigUnavailableError, with the reason. */
export function resolvedOrThrow(
  reference: ConfigReference,
  resolution: ConfigResolution,
): ResolvedConfig {
  switch (resolution.kind) {
    case "resolved":
      return resolution.resolved;
    case "not-found":
      throw new ConfigNotFoundError(
        `There is no configuration for ${describedReference(reference)}. ${resolution.reason}`,
      );
    case "unavailable":
      throw new ConfigUnavailableError(
        `The configuration for ${describedReference(reference)} could not be read. ${resolution.reason}`,
      );
  }
}

/** As messages name it: `environment "staging" of application "support"`. */
export function describedReference(reference: ConfigReference): string {
  const application = `application ${JSON.stringify(reference.application)}`;
  if (reference.by === "environment") {
    return `environment ${JSON.stringify(reference.environment)} of ${application}`;
  }
  const revision = reference.revision === null ? "" : `, revision ${reference.revision},`;
  return `variant ${JSON.stringify(reference.variant)}${revision} of ${application}`;
}

const NOT_FOUND_MARKER = Symbol.for("agate.sdk.config-not-found-error");

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
  get [NOT_FOUND_MARKER](): true {
    return true;
  }

  /** Also for errors of another copy of this package. */
  static isInstance(value: unknown): value is ConfigNotFoundError {
    return typeof value === "object" && value !== null && NOT_FOUND_MARKER in value;
  }
}

const UNAVAILABLE_MARKER = Symbol.for("agate.sdk.config-unavailable-error");

/**
 * The registry, or the file, could not be asked for a configuration, and nothing is remembered of
 * what it said before. Trying again later may help.
 *
 * @example
 * if (ag.ConfigUnavailableError.isInstance(error)) return retryLater();
 */
export class ConfigUnavailableError extends Error {
  override readonly name = "ConfigUnavailableError";
  get [UNAVAILABLE_MARKER](): true {
    return true;
  }

  /** Also for errors of another copy of this package. */
  static isInstance(value: unknown): value is ConfigUnavailableError {
    return typeof value === "object" && value !== null && UNAVAILABLE_MARKER in value;
  }
}
