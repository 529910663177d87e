import { AGATE_ATTRIBUTES as AG } from "@agate/protocol";
import type { Attributes } from "@opentelemetry/api";
import type { Identity } from "../context/call-state.ts";

/** Adds an identity to a span's own attributes, which win. */
export function addIdentity(attributes: Attributes, identity: Identity | undefined): Attributes {
  if (identity === undefined) return attributes;
  const { application, variantId, variantName, revision, environment } = identity;
  if (application !== null) attributes[AG.application] ??= application;
  if (variantId !== null) attributes[AG.variantId] ??= variantId;
  if (variantName !== null) attributes[AG.variantName] ??= variantName;
  if (revision !== null) attributes[AG.revision] ??= revision;
  if (environment !== null) attributes[AG.environment] ??= environment;
  return attributes;
}
