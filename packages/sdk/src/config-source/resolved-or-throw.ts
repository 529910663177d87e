import type { ResolvedConfig } from "@agate/protocol";
import { ConfigNotFoundError } from "./config-not-found-error.ts";
import type { ConfigReference, ConfigResolution } from "./config-source.ts";
import { ConfigUnavailableError } from "./config-unavailable-error.ts";

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
