import { AGATE_ATTRIBUTES } from "@agate/protocol";
import type { Attributes } from "@opentelemetry/api";
import type { Identity } from "../context/identity.ts";
import type { RouteDefinition } from "../routes/route-definition.ts";
import { contentByRules } from "../tracing/content-rules.ts";
import { identityAttributes } from "../tracing/identity-attributes.ts";
import type { Telemetry } from "../tracing/telemetry.ts";
import type { Preparation } from "./prepare-call.ts";

// A configuration may have a `toJSON` that throws; its fields are then written one by one.
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function identityOf(preparation: Preparation): Identity | undefined {
  if (preparation.kind === "ready") return preparation.call.identity;
  return preparation.kind === "refused" ? preparation.identity : undefined;
}

/** What is known of a call before its function runs, as attributes of its span. */
export function preparationAttributes(
  telemetry: Telemetry,
  route: RouteDefinition,
  preparation: Preparation,
): Attributes {
  const identity = identityOf(preparation);
  const attributes: Attributes = identity === undefined ? {} : identityAttributes(identity);
  const add = (field: "config" | "inputs", value: unknown, isPlain: boolean): void => {
    const json = isPlain && telemetry.capturesContent ? jsonOf(value) : undefined;
    const { rules, spanName } = route;
    const text = contentByRules(rules, telemetry, spanName, field, value, json);
    if (text !== null) attributes[AGATE_ATTRIBUTES[field]] = text;
  };
  // Without a schema, inputs are as `JSON.parse` made them.
  const isPlain = route.input === undefined;
  if (preparation.kind === "ready") {
    const { config, inputs, editedFrom, staleConfig } = preparation.call;
    if (editedFrom !== null) attributes[AGATE_ATTRIBUTES.editedFrom] = editedFrom;
    if (staleConfig) attributes[AGATE_ATTRIBUTES.staleConfig] = true;
    // A configuration has nothing but texts, numbers and booleans.
    add("config", config, true);
    add("inputs", inputs, isPlain);
  } else {
    if ("config" in preparation) add("config", preparation.config, true);
    if ("inputs" in preparation) add("inputs", preparation.inputs, true);
  }
  return attributes;
}
