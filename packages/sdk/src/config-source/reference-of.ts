import { shownValue } from "@agate/protocol";
import type { Dictionary, RoutingContext } from "../context/routing-context.ts";
import type { ConfigReference } from "./config-source.ts";

/** What an app is and where it runs, for what the routing context leaves open. */
export interface ReferenceDefaults {
  readonly application: () => string;
  readonly environment: () => string;
}

const IDENTIFIERS = ["slug", "id", "name"] as const;

/**
 * Which configuration a routing context names. A variant is more exact than an environment, so it
 * counts where both are there.
 *
 * @throws TypeError for an identifier that cannot be one.
 */
export function referenceOf(context: RoutingContext, defaults: ReferenceDefaults): ConfigReference {
  const application = identifierIn(context, "application") ?? defaults.application();
  const variant = identifierIn(context, "variant");
  const revision = revisionIn(context.variant, variant);
  if (variant !== undefined) return { by: "variant", application, variant, revision };
  const environment = identifierIn(context, "environment") ?? defaults.environment();
  return { by: "environment", application, environment };
}

function identifierIn(
  context: RoutingContext,
  parameter: "application" | "variant" | "environment",
): string | undefined {
  const dictionary = context[parameter] ?? {};
  const key = IDENTIFIERS.find((name) => (dictionary[name] ?? null) !== null);
  if (key === undefined) return undefined;
  const value = dictionary[key];
  if (typeof value === "string" && value !== "") return value;
  throw new TypeError(
    `The ${key} of the ${parameter} must be a text that is not empty, as in { ${key}: "${EXAMPLES[parameter]}" }, not ${shownValue(value)}.`,
  );
}

const EXAMPLES = { application: "support", variant: "concise", environment: "staging" } as const;

function revisionIn(dictionary: Dictionary = {}, variant: string | undefined): number | null {
  const revision = dictionary.revision ?? null;
  if (revision === null) return null;
  if (variant === undefined) {
    throw new TypeError(
      'The variant has a revision but no slug: write { slug: "concise", revision: 3 }.',
    );
  }
  if (typeof revision === "number" && Number.isSafeInteger(revision) && revision >= 1) {
    return revision;
  }
  throw new TypeError(
    `The revision of the variant must be a whole number from 1, not ${shownValue(revision)}.`,
  );
}
