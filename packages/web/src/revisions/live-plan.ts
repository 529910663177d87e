import type { Environment } from "@agate/protocol";
import type { LiveChange } from "../api/registry-changes.ts";

/** A revision: `concise@3`. */
export interface RevisionName {
  /** The id of the variant, if known: the slug may belong to another variant by now. */
  readonly id?: string;
  readonly slug: string;
  readonly revision: number;
}

/** A planned change of what is live. Computed anew whenever the live revision changes. */
export interface LivePlan {
  readonly environment: string;
  readonly to: RevisionName;
  readonly change: LiveChange;
}

/** @example revisionText({ slug: "concise", revision: 3 }) // "concise@3" */
export function revisionText({ slug, revision }: RevisionName): string {
  return `${slug}@${revision}`;
}

/** The same with the id of the variant, which the platform accepts as well. */
export function revisionTextById({ id, slug, revision }: RevisionName): string {
  return revisionText({ slug: id ?? slug, revision });
}

export function isSameRevision(one: RevisionName, other: RevisionName): boolean {
  if (one.revision !== other.revision) return false;
  return one.id === undefined || other.id === undefined
    ? one.slug === other.slug
    : one.id === other.id;
}

export function liveIn(environments: readonly Environment[], slug: string) {
  return environments.find((environment) => environment.slug === slug)?.deployment ?? null;
}

/**
 * Describes a plan in one line. If the text changes while the dialog is open, the user has to confirm
 * again.
 */
export function planText(environments: readonly Environment[], plan: LivePlan): string {
  const live = liveIn(environments, plan.environment);
  const from = live === null ? "nothing" : revisionText(live.variant);
  return `${plan.environment}: ${from} → ${revisionText(plan.to)}`;
}
