import type { Environment } from "@agate/protocol";
import type { LiveChange } from "../api/registry-changes.ts";

/** A revision by its name: `concise@3`. */
export interface RevisionName {
  /** Of the variant, where it is known: another may have got the slug since. */
  readonly id?: string;
  readonly slug: string;
  readonly revision: number;
}

/** What would become live where; made anew whenever what is live changes. */
export interface LivePlan {
  readonly environment: string;
  readonly to: RevisionName;
  readonly change: LiveChange;
}

/** @example revisionText({ slug: "concise", revision: 3 }) // "concise@3" */
export function revisionText({ slug, revision }: RevisionName): string {
  return `${slug}@${revision}`;
}

/** The same for the platform, which takes ids as well. */
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
 * What a plan does, as one text: if it is another than the one that somebody has read, they have to
 * read it again before they confirm.
 */
export function planText(environments: readonly Environment[], plan: LivePlan): string {
  const live = liveIn(environments, plan.environment);
  const from = live === null ? "nothing" : revisionText(live.variant);
  return `${plan.environment}: ${from} → ${revisionText(plan.to)}`;
}
