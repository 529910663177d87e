import { AGATE_ATTRIBUTES as AG } from "@agate/protocol";
import type { Attributes } from "@opentelemetry/api";
import type { EvaluationItem, Identity } from "../context/call-state.ts";

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

/** Adds the item of an evaluation run that a span belongs to. */
export function addEvaluation(attributes: Attributes, item: EvaluationItem | undefined): void {
  if (item === undefined) return;
  attributes[AG.evaluationRun] = item.run;
  if (item.case !== undefined) attributes[AG.evaluationCase] = item.case;
  if (item.column !== undefined) attributes[AG.evaluationColumn] = item.column;
  if (item.trial !== undefined) attributes[AG.evaluationTrial] = item.trial + 1;
}
